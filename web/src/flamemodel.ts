// SPDX-License-Identifier: Apache-2.0
// Holds what a flame graph shows: which rows there are, what is zoomed to, selected and marked, and what is where. Knows
// no canvas: places are in shares of the width and in px below the first row.
import { FlamePicture } from "./flamepictures.js";
import { firstWhere } from "./math.js";
import { Tree } from "./tree.js";

/** A frame. */
export interface Place {
	tree: Tree;
	node: number;
}

/** A row of frames: those of one depth. */
export interface FlameRow {
	tree: Tree;
	depth: number;
}

/** Away from the root, towards it, or along a row. */
export type Towards = "out" | "in" | "left" | "right";

export const ROW_HEIGHT = 18; // px
const ROWS_ABOVE = 2, // that are seen of what scrolling has brought
	ROWS_BELOW = 3;

/** Where the arrow keys lead; null: it is another key. */
export function arrowMove(key: string, isInverted: boolean): Towards | null {
	switch (key) {
		case "ArrowUp":
			return isInverted ? "in" : "out";
		case "ArrowDown":
			return isInverted ? "out" : "in";
		case "ArrowLeft":
			return "left";
		case "ArrowRight":
			return "right";
		default:
			return null;
	}
}

/** Index of the last node of a row that begins at a value or before; -1: there is none. */
export function lastFrom(tree: Tree, level: Uint32Array, value: number): number {
	return firstWhere(level.length, (index) => tree.x[level[index]!]! > value) - 1;
}

/** The widest frame that stands on one; -1: none does. */
function widestChild(tree: Tree, node: number): number {
	let widest = -1;
	for (let child = node + 1; child < tree.end[node]!; child = tree.end[child]!)
		if (widest < 0 || tree.w[child]! > tree.w[widest]!) widest = child;
	return widest;
}

/** The frame beside one, in the same row; -1: there is none. */
function besideNode(tree: Tree, node: number, by: number): number {
	const level = tree.levels[tree.depth[node]!]!;
	return level[lastFrom(tree, level, tree.x[node]!) + by] ?? -1;
}

export class FlameModel {
	rows: FlameRow[] = [];
	/** The share of the whole where what is shown begins, and how much it is. */
	from = 0;
	span = 1;
	zoomed: Place | null = null;
	selected: Place | null = null;
	/** Frames (by number) that are marked; null: none. */
	found: Uint8Array | null = null;
	private picture: FlamePicture | null = null;
	private isInverted = false;

	/** unknown: the kind of frames whose names say nothing. */
	constructor(private readonly unknown: number) {}

	/** Takes another picture, all of it. */
	show(picture: FlamePicture, isInverted: boolean): void {
		const { up, down } = picture,
			rows = up.levels.map((_, depth) => ({ tree: up, depth })).reverse();
		for (let depth = 1; down && depth < down.levels.length; depth++) rows.push({ tree: down, depth });
		this.picture = picture;
		this.isInverted = isInverted;
		this.rows = isInverted ? rows.reverse() : rows;
		this.zoomed = this.selected = null;
		this.from = 0;
		this.span = 1;
	}

	get isEmpty(): boolean {
		return !this.picture;
	}

	/** Shows a frame at full width; null: everything. */
	zoom(place: Place | null): void {
		this.zoomed = place;
		this.from = place ? place.tree.x[place.node]! : 0;
		this.span = place ? Math.max(place.tree.w[place.node]!, 1e-12) : 1;
	}

	isMarked(tree: Tree, node: number): boolean {
		return this.found !== null && this.found[tree.frame[node]!] === 1;
	}

	/** The frame at a share of the width and a height; null: there is none. */
	at(share: number, y: number): Place | null {
		const row = this.rows[Math.floor(y / ROW_HEIGHT)],
			value = this.from + share * this.span;
		if (!row) return null;
		const { tree, depth } = row,
			level = tree.levels[depth]!,
			node = level[lastFrom(tree, level, value)];
		return node !== undefined && tree.x[node]! + tree.w[node]! > value ? { tree, node } : null;
	}

	/** The neighbour of the selected frame; the first frame, if none is selected; null: there is none. */
	neighbour(towards: Towards): Place | null {
		const place = this.selected ?? this.zoomed;
		if (!place) return this.picture && this.picture.up.n > 0 ? { tree: this.picture.up, node: 0 } : null;
		const { tree, node } = place,
			nodes = {
				in: () => tree.parent[node]!,
				out: () => widestChild(tree, node),
				left: () => besideNode(tree, node, -1),
				right: () => besideNode(tree, node, 1),
			},
			next = nodes[towards]();
		return next >= 0 ? { tree, node: next } : null;
	}

	/** What a frame is called: the module stands in front of a name that says nothing. */
	name(tree: Tree, frame: number): string {
		const { name, module, kind } = tree.frames;
		return kind[frame] === this.unknown && module[frame] ? `${module[frame]} ${name[frame]}` : name[frame]!;
	}

	// -- heights --

	get height(): number {
		return this.rows.length * ROW_HEIGHT;
	}

	/** px above the first row: flames stand on the ground, also where there is more room than they need. */
	above(viewHeight: number): number {
		return this.isInverted || this.picture?.down ? 0 : Math.max(0, viewHeight - this.height);
	}

	/** The number of the row of a frame; -1: it is not in the picture. */
	rowOf({ tree, node }: Place): number {
		return this.rows.findIndex((row) => row.tree === tree && row.depth === tree.depth[node]);
	}

	/** How far a new picture is scrolled, to show its root. */
	rootScroll(viewHeight: number): number {
		if (!this.isInverted && !this.picture?.down) return this.height;
		const root = this.rows.findIndex((row) => row.tree === this.picture?.up && row.depth === 0);
		return root * ROW_HEIGHT - viewHeight / 2;
	}

	/** How far to scroll for a frame to be seen: no further than it takes. */
	scrollTo(place: Place, scroll: number, viewHeight: number): number {
		const y = this.rowOf(place) * ROW_HEIGHT;
		if (y < scroll) return y - ROWS_ABOVE * ROW_HEIGHT;
		if (y + ROW_HEIGHT > scroll + viewHeight) return y + ROWS_BELOW * ROW_HEIGHT - viewHeight;
		return scroll;
	}
}
