// SPDX-License-Identifier: Apache-2.0
// Lays out a row of a flame graph: which of its frames are drawn, where, and how strongly. Knows no canvas.
import { FlameModel, FlameRow, lastFrom } from "./flamemodel.js";
import { Tree } from "./tree.js";

/** What is drawn of a frame; in px. */
export interface FlameBox {
	node: number;
	x: number;
	width: number;
	/** Between the edges of the frame; 0: too little for a text. */
	room: number;
	isMarked: boolean;
	/** What is shown at full width stands on it. */
	isBelow: boolean;
	opacity: number;
}

const LABEL_LEAST = 24, // px of a frame that gets a text
	TINY = 0.1, // px: alone, such a frame is not drawn
	BELOW_OPACITY = 0.4,
	TINY_OPACITY = 0.35,
	WIDER = 1.000001, // than what is shown, beyond what rounding makes
	LESS = 1e-15; // for what begins before a pixel ends

/** Left and right edge of a frame on a canvas of this width. */
export function edgesOf({ from, span }: FlameModel, tree: Tree, node: number, width: number): [number, number] {
	const scale = width / span,
		left = tree.x[node]!;
	return [Math.max(0, (left - from) * scale), Math.min(width, (left + tree.w[node]! - from) * scale)];
}

/** A frame that is wide enough to be drawn by itself. A gap sets it apart from the next one. */
function wideBox(model: FlameModel, tree: Tree, node: number, left: number, right: number): FlameBox {
	const wide = right - left,
		gap = wide > 3 ? 1 : 0.3,
		isBelow = tree.w[node]! > model.span * WIDER;
	return {
		node,
		x: left,
		width: Math.max(wide - gap, 0.7),
		room: wide >= LABEL_LEAST ? wide : 0,
		isMarked: model.isMarked(tree, node),
		isBelow,
		opacity: isBelow ? BELOW_OPACITY : 1,
	};
}

/** Index of the last narrow frame that begins in the same pixel as the one at `index`. */
function lastInPixel({ from }: FlameModel, tree: Tree, level: Uint32Array, index: number, end: number, scale: number) {
	const last = Math.max(index, lastFrom(tree, level, from + end / scale - LESS));
	// one that begins here, but is wide, is drawn by itself
	return last > index && tree.w[level[last]!]! * scale >= 1 ? last - 1 : last;
}

/** Narrow frames that share a pixel; null: there is too little of them. */
function narrowBox(model: FlameModel, tree: Tree, nodes: Uint32Array, pixel: number, scale: number): FlameBox | null {
	const node = nodes[0]!,
		isMarked = model.found !== null && nodes.some((other) => model.isMarked(tree, other)),
		width = tree.w[node]! * scale,
		isAlone = nodes.length === 1;
	if (isAlone && width < TINY && !isMarked) return null;
	const opacity = isAlone ? Math.max(TINY_OPACITY, width) : 1;
	return { node, x: pixel, width: 1, room: 0, isMarked, isBelow: false, opacity };
}

/** What is drawn of a row on a canvas of this width, from left to right; narrow frames once per pixel. */
export function rowBoxes(model: FlameModel, { tree, depth }: FlameRow, width: number): FlameBox[] {
	const level = tree.levels[depth]!,
		to = model.from + model.span,
		scale = width / model.span,
		boxes: FlameBox[] = [];
	for (let index = Math.max(0, lastFrom(tree, level, model.from)); index < level.length; index++) {
		const node = level[index]!;
		if (tree.x[node]! >= to) break;
		const [left, right] = edgesOf(model, tree, node, width);
		if (right <= 0) continue;
		if (right - left >= 1) {
			boxes.push(wideBox(model, tree, node, left, right));
			continue;
		}
		const pixel = Math.floor(left),
			last = lastInPixel(model, tree, level, index, pixel + 1, scale),
			box = narrowBox(model, tree, level.subarray(index, last + 1), pixel, scale);
		if (box) boxes.push(box);
		index = last;
	}
	return boxes;
}
