// SPDX-License-Identifier: Apache-2.0
// The trees of a flame graph: from the root, from the leaves, around a function. Knows no page.
import { reverse, sandwich, Tree, Widths } from "./tree.js";

export type Mode = "flame" | "leaves" | "sandwich" | "table";
export const MODES: readonly Mode[] = ["flame", "leaves", "sandwich", "table"];

export interface FlamePicture {
	up: Tree;
	down?: Tree;
}

export class FlamePictures {
	private readonly made = new Map<string, FlamePicture>();
	private widths: Widths = "both";

	constructor(private readonly tree: Tree) {
		this.made.set("flame", { up: tree });
	}

	/** focus: the function of the sandwich. */
	of(mode: Mode, focus: number): FlamePicture {
		const key = mode === "sandwich" ? `around ${focus}` : mode,
			known = this.made.get(key);
		if (known) return known;
		const picture = this.make(mode, focus);
		this.place(picture);
		this.made.set(key, picture);
		return picture;
	}

	private make(mode: Mode, focus: number): FlamePicture {
		if (mode === "leaves") return { up: reverse(this.tree) };
		const { callees, callers } = sandwich(this.tree, focus);
		return { up: callees, down: callers };
	}

	private place({ up, down }: FlamePicture): void {
		up.place(this.widths);
		down?.place(this.widths);
	}

	/** Which weights make the widths. */
	setWidths(widths: Widths): void {
		this.widths = widths;
		for (const picture of this.made.values()) this.place(picture);
	}

	get shownWidths(): Widths {
		return this.widths;
	}
}
