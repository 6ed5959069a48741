// SPDX-License-Identifier: Apache-2.0
// Makes the legend of a flame graph: what its colours mean.
import { makeLegendEntry } from "./controls.js";
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

export function makeFlameLegend(meta: FlameMeta, tree: Tree): HTMLElement[] {
	if (meta.diff) {
		const colours = changeColours(isDark());
		return CHANGES.map(([change, text]) => makeLegendEntry(colours[changeIndex(change)]!, text));
	}
	const colours = kindColours(meta.kinds, isDark()),
		used = new Set(tree.frames.kind);
	return meta.kinds.flatMap(({ text }, kind) =>
		used.has(kind) ? [makeLegendEntry(colours[kindIndex(kind, 1)]!, text)] : [],
	);
}
