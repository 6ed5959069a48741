// SPDX-License-Identifier: Apache-2.0
// Chooses the colours of frames: by their kind and name, or by how they have changed. Knows no page.
import { SIGNIFICANT_DEVIATIONS } from "./appearance.js";
import { changeColours, changeIndex, Kind, kindColours, kindIndex } from "./framecolour.js";
import { Tree } from "./tree.js";

export interface FlameOptions {
	kinds: Kind[];
	/** Kinds whose names say nothing: the module stands in front of them. */
	unknown: number;
	diff: boolean;
	/** Differences that chance makes are grey. */
	significance: boolean;
}

export class FlameColours {
	private colours: string[] = [];

	constructor(private readonly options: FlameOptions) {}

	/** Makes them for a light or a dark page. */
	make(dark: boolean): void {
		const { diff, kinds } = this.options;
		this.colours = diff ? changeColours(dark) : kindColours(kinds, dark);
	}

	of(tree: Tree, node: number): string {
		const frame = tree.frame[node]!,
			{ kind, hue } = tree.frames;
		return this.colours[
			this.options.diff ? changeIndex(this.change(tree, node)) : kindIndex(kind[frame]!, hue[frame]!)
		]!;
	}

	/** How much of a frame is new (1) or vanished (-1). */
	change(tree: Tree, node: number): number {
		const before = tree.share(node, 0),
			after = tree.share(node, 1),
			sum = before + after,
			[wholeBefore = 0, wholeAfter = 0] = tree.whole;
		if (sum <= 0 || !wholeBefore || !wholeAfter) return 0;
		if (this.options.significance) {
			const sigma = Math.hypot(
				Math.sqrt(tree.total[0]![node]! || 1) / wholeBefore,
				Math.sqrt(tree.total[1]![node]! || 1) / wholeAfter,
			);
			if (Math.abs(after - before) < SIGNIFICANT_DEVIATIONS * sigma) return 0;
		}
		return (after - before) / sum;
	}
}
