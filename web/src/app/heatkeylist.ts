// SPDX-License-Identifier: Apache-2.0
// Buttons with the keys of a heat map in their colours; those that are pressed are selected.
import { makeButton, makeDot, makeElement, replaceChildren } from "../element.js";
import { keyCss } from "../keycolour.js";

const KEYS_MAX = 24;

/** A key as it is shown. */
export interface ListedKey {
	name: string;
	/** Text after the name. */
	note: string;
	selected: boolean;
	coloured: boolean;
}

export class HeatKeyList {
	readonly element = makeElement("div", "", "key-list");

	constructor(
		private readonly title: string,
		private readonly onToggle: (key: number) => void,
	) {}

	/** A single key is no choice. */
	draw(keys: readonly ListedKey[]): void {
		this.element.hidden = keys.length < 2;
		replaceChildren(this.element, ...keys.slice(0, KEYS_MAX).map((key, index) => this.makeKey(key, index)));
	}

	private makeKey(key: ListedKey, index: number): HTMLElement {
		const button = makeButton("", this.title, () => this.onToggle(index));
		button.append(makeDot(key.coloured ? keyCss(key.name) : ""), key.name);
		if (key.note) button.append(" ", makeElement("span", key.note, "muted"));
		button.ariaPressed = String(key.selected);
		return button;
	}
}
