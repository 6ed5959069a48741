// SPDX-License-Identifier: Apache-2.0
// Losses as text in the colour of their kind: lost events, events that a limit left out, and idle time.
import { LossKind } from "./api.js";
import { LossText } from "./losses.js";
import { makeElement, replaceChildren } from "../element.js";

const CLASSES: Record<LossKind, string> = { lost: "lossy", "left out": "limited", "no loss": "muted" };

/** The style class of a kind of losses. */
export function lossClass(kind: LossKind): string {
	return CLASSES[kind];
}

/** Shows the kinds one after another in a line. */
export function showLosses(line: HTMLElement, texts: readonly LossText[]): void {
	const parts = texts.map(({ kind, text }) => makeElement("span", text, lossClass(kind)));
	replaceChildren(line, ...parts.flatMap((part, index) => (index ? [" · ", part] : [part])));
}
