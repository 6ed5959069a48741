// SPDX-License-Identifier: Apache-2.0
// What the colours of a flame graph mean.
import { makeDot, makeElement } from "./element.js";
import { FlameMeta } from "./flamemeta.js";
import { changeColours, changeIndex, kindColours, kindIndex } from "./framecolour.js";
import { isDark } from "./theme.js";
import { Tree } from "./tree.js";

const CHANGES = [
	[-1, "vanished"],
	[-0.5, "less"],
	[0, "the same"],
	[0.5, "more"],
	[1, "new"],
] as const;

function makeEntry(colour: string, text: string): HTMLElement {
	const entry = makeElement("span");
	entry.append(makeDot(colour), text);
	return entry;
}

export function makeFlameLegend(meta: FlameMeta, tree: Tree): HTMLElement[] {
	if (meta.diff) {
		const colours = changeColours(isDark());
		return CHANGES.map(([change, text]) => makeEntry(colours[changeIndex(change)]!, text));
	}
	const colours = kindColours(meta.kinds, isDark()),
		used = new Set(tree.frames.kind);
	return meta.kinds.flatMap(({ text }, kind) =>
		used.has(kind) ? [makeEntry(colours[kindIndex(kind, 1)]!, text)] : [],
	);
}
