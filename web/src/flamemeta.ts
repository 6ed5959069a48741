// SPDX-License-Identifier: Apache-2.0
// What a file with a flame graph says beside the stacks, and frames in words. Knows no page.
import { amount, percent } from "./amount.js";
import { Kind } from "./framecolour.js";
import { Tree } from "./tree.js";

/** src/view/picture/flame_html.c writes it. */
export interface FlameMeta {
	title: string;
	unit: string;
	notes: string;
	diff: boolean;
	significance: boolean;
	inverted: boolean;
	before: string;
	after: string;
	kinds: Kind[];
	unknown: number;
	bytes: number;
}

/** How much there is, and what is missing. */
export function summaryText(meta: FlameMeta, tree: Tree): string {
	const [before = 0, after = 0] = tree.whole,
		{ unit, notes } = meta,
		all = meta.diff
			? `${amount(before, unit)} (${meta.before}), ${amount(after, unit)} (${meta.after}); widths are shares`
			: amount(before, unit);
	return notes ? `${all} · ${notes}` : all;
}

/** What a frame is, and what it has. zoomed: the node of the same tree that is shown at full width; -1: none. */
export function frameLines(meta: FlameMeta, tree: Tree, node: number, zoomed: number): string[] {
	const { frames } = tree,
		frame = tree.frame[node]!,
		module = frames.module[frame],
		source = frames.source?.[frame],
		value = (weight: number) =>
			`${amount(tree.total[weight]![node]!, meta.unit)}, ${percent(tree.share(node, weight))}`,
		lines = [meta.kinds[frames.kind[frame]!]!.text + (module ? `, ${module}` : "")];
	if (source) lines.push(source);
	if (meta.diff) {
		const delta = tree.share(node, 1) - tree.share(node, 0),
			change = `${delta < 0 ? "−" : "+"}${percent(Math.abs(delta))}`;
		return [...lines, `${meta.before}: ${value(0)}`, `${meta.after}: ${value(1)} (${change})`];
	}
	lines.push(value(0));
	const self = tree.self[0]![node]!;
	if (self > 0 && self < tree.total[0]![node]!) lines.push(`itself ${amount(self, meta.unit)}`);
	if (zoomed >= 0 && tree.w[zoomed]! > tree.w[node]!)
		lines.push(`${percent(tree.w[node]! / tree.w[zoomed]!)} of what is shown`);
	return lines;
}
