// SPDX-License-Identifier: Apache-2.0
// Flame graphs without a canvas: what is where, zoom, selection, marks, keys, scrolling, colours, texts, and the address.
import { deepEqual, equal, notEqual, ok } from "node:assert/strict";
import { test } from "node:test";
import { weightedTree } from "../../../web/src/app/stacktree.js";
import { FlameBox, rowBoxes } from "../../../web/src/flameboxes.js";
import { FlameColours } from "../../../web/src/flamecolours.js";
import { arrowMove, FlameModel, Place, ROW_HEIGHT, Towards } from "../../../web/src/flamemodel.js";
import { FlamePageState, readFlameLink, writeFlameLink } from "../../../web/src/flamepagestate.js";
import { changeColours, changeIndex } from "../../../web/src/framecolour.js";
import { TextFit } from "../../../web/src/textfit.js";
import { sandwich, Tree } from "../../../web/src/tree.js";

const UNKNOWN = 4,
	WIDTH = 600;
const KINDS = {
	unknown: UNKNOWN,
	kinds: ["plain", "kernel", "user", "library", "unknown", "thread", "jit"].map((text, index) => ({
		name: text,
		text,
		hue: 50 * index,
		saturation: 50,
		lightness: 60,
	})),
};

function makeTree(stacks: Record<string, number | number[]>): Tree {
	return weightedTree(
		Object.entries(stacks).map(([frames, weight]) => ({
			frames: frames.split(" ").map((name) => `p\`${name}`),
			weights: Array.isArray(weight) ? weight : [weight],
		})),
		KINDS,
	);
}

/** main 6: a 4 (b 3), b 2. */
const makeCalls = () => makeTree({ "main a b": 3, "main b": 2, "main a": 1 });

function makeModel(tree = makeCalls(), isInverted = false): FlameModel {
	const model = new FlameModel(UNKNOWN);
	model.show({ up: tree }, isInverted);
	return model;
}

const nameOf = (place: Place | null) => (place ? place.tree.frames.name[place.tree.frame[place.node]!]! : "");

function placeOf(tree: Tree, path: string): Place {
	const node = [...tree.frame.keys()].find(
		(one) =>
			tree.path(one).every((at, depth) => tree.frames.name[tree.frame[at]!] === path.split(" ")[depth]) &&
			tree.depth[one] === path.split(" ").length - 1,
	);
	return { tree, node: node! };
}

const boxesOf = (model: FlameModel, depth: number, width = WIDTH) =>
	rowBoxes(
		model,
		model.rows.find((row) => row.depth === depth)!,
		width,
	);
const edges = (boxes: FlameBox[]) => boxes.map(({ x, width }) => [Math.round(x), Math.round(x + width)]);

test("rows stand on their callers; inverted, they hang", () => {
	deepEqual(
		makeModel().rows.map((row) => row.depth),
		[2, 1, 0],
	);
	deepEqual(
		makeModel(makeCalls(), true).rows.map((row) => row.depth),
		[0, 1, 2],
	);
});

test("around a function, callers hang below it and it is there once", () => {
	const tree = makeCalls(),
		{ callees, callers } = sandwich(tree, placeOf(tree, "main a").tree.frame[placeOf(tree, "main a").node]!),
		model = new FlameModel(UNKNOWN);
	model.show({ up: callees, down: callers }, false);
	deepEqual(
		model.rows.map((row) => [row.tree === callees, row.depth]),
		[
			[true, 1],
			[true, 0],
			[false, 1],
		],
	);
	equal(model.above(1000), 0, "nothing to stand on");
	equal(model.rootScroll(10), ROW_HEIGHT - 5, "the function is in the middle");
});

test("the frame at a point", () => {
	const model = makeModel(),
		at = (share: number, row: number) => nameOf(model.at(share, row * ROW_HEIGHT + 1));
	equal(at(0.5, 2), "main");
	equal(at(0.5, 1), "a");
	equal(at(0.7, 1), "b");
	equal(at(0.49, 0), "b");
	equal(at(0.51, 0), "", "beside the last frame");
	equal(at(0.5, 3), "", "below the root");
	equal(at(0.5, -1), "", "above the leaves");
});

test("what is zoomed to takes all of the width, and so do its callers", () => {
	const model = makeModel();
	model.zoom(placeOf(model.rows[0]!.tree, "main a"));
	equal(nameOf(model.at(0.74, 1)), "b");
	equal(nameOf(model.at(0.76, 1)), "");
	deepEqual(edges(boxesOf(model, 1)), [[0, WIDTH - 1]], "b beside it is not seen");
	deepEqual(edges(boxesOf(model, 2)), [[0, 449]]);
	ok(boxesOf(model, 0)[0]!.isBelow && !boxesOf(model, 1)[0]!.isBelow);
	equal(boxesOf(model, 0)[0]!.opacity, 0.4);
	model.zoom(null);
	deepEqual([model.from, model.span, model.zoomed], [0, 1, null]);
});

test("a new picture begins with all of it, and nothing selected", () => {
	const model = makeModel(),
		place = placeOf(model.rows[0]!.tree, "main b");
	model.zoom(place);
	model.selected = place;
	model.show({ up: makeCalls() }, false);
	deepEqual([model.from, model.span, model.zoomed, model.selected], [0, 1, null, null]);
	ok(new FlameModel(UNKNOWN).isEmpty && !model.isEmpty);
});

test("frames have gaps between them, and texts where there is room", () => {
	const [a, b] = boxesOf(makeModel(), 1);
	deepEqual(edges([a!, b!]), [
		[0, 399],
		[400, 599],
	]);
	equal(a!.room, 400);
	equal(
		boxesOf(makeModel(), 1, 30).some((box) => box.room > 0),
		false,
	);
	deepEqual(
		boxesOf(makeModel(), 1, 36).map((box) => box.room > 0),
		[true, false],
	);
});

test("narrow frames that share a pixel are drawn once, lonely slivers not at all", () => {
	const many = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`f${i}`, 1])),
		boxes = boxesOf(makeModel(makeTree(many)), 0, 10);
	deepEqual(
		boxes.map((box) => box.x),
		[0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
	);
	ok(boxes.every((box) => box.width === 1 && box.opacity === 1));
	const sliver = makeModel(makeTree({ a: 1, b: 1e6 }));
	deepEqual(
		boxesOf(sliver, 0, 100).map((box) => nameOf({ tree: sliver.rows[0]!.tree, node: box.node })),
		["b"],
	);
});

test("a wide frame that begins in the pixel of narrow ones is drawn by itself", () => {
	const boxes = boxesOf(makeModel(makeTree({ a: 1, b: 1, c: 1000 })), 0, 100);
	equal(boxes.length, 2);
	deepEqual([boxes[0]!.x, boxes[0]!.width, boxes[1]!.width > 90], [0, 1, true]);
});

test("marks are seen also on what is too narrow to be drawn", () => {
	const tree = makeTree({ a: 1, b: 1e6 }),
		model = makeModel(tree);
	equal(
		boxesOf(model, 0, 100).some((box) => box.isMarked),
		false,
	);
	model.found = Uint8Array.from(tree.frames.name, (name) => (name === "a" ? 1 : 0));
	deepEqual(
		boxesOf(model, 0, 100).map((box) => box.isMarked),
		[true, false],
	);
	equal(boxesOf(model, 0, 100)[0]!.opacity, 0.35);
});

test("arrow keys: away from the root is up, inverted it is down", () => {
	const moves = (isInverted: boolean) =>
		["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "x"].map((key) => arrowMove(key, isInverted));
	deepEqual(moves(false), ["out", "in", "left", "right", null]);
	deepEqual(moves(true), ["in", "out", "left", "right", null]);
});

test("keys go from frame to frame and end at the edges", () => {
	const model = makeModel(),
		walk = (...moves: Towards[]) =>
			moves.map((towards) => {
				const place = model.neighbour(towards);
				if (place) model.selected = place;
				return nameOf(place);
			});
	deepEqual(walk("out", "in", "out", "out", "out"), ["main", "", "a", "b", ""]);
	deepEqual(walk("in", "right", "right", "left", "left"), ["a", "b", "", "a", ""]);
	equal(new FlameModel(UNKNOWN).neighbour("out"), null);
});

test("without a selected frame, keys begin at what is shown at full width", () => {
	const model = makeModel();
	model.zoom(placeOf(model.rows[0]!.tree, "main a"));
	equal(nameOf(model.neighbour("out")), "b");
});

test("flames stand on the ground of a high window; hanging ones do not", () => {
	equal(makeModel().above(100), 100 - 3 * ROW_HEIGHT);
	equal(makeModel().above(10), 0);
	equal(makeModel(makeCalls(), true).above(100), 0);
	equal(makeModel().rootScroll(10), 3 * ROW_HEIGHT);
});

test("scrolling goes no further than it takes to see a frame", () => {
	const model = makeModel(),
		place = placeOf(model.rows[0]!.tree, "main a");
	equal(model.scrollTo(place, 0, 100), 0, "it is seen");
	equal(model.scrollTo(place, 30, 100), ROW_HEIGHT - 2 * ROW_HEIGHT);
	equal(model.scrollTo(place, 0, 20), 4 * ROW_HEIGHT - 20);
});

test("a name that says nothing has its module in front", () => {
	const tree = makeCalls(),
		model = makeModel(tree),
		frame = tree.frame[0]!;
	equal(model.name(tree, frame), "main");
	tree.frames.kind[frame] = UNKNOWN;
	equal(model.name(tree, frame), "p main");
});

test("kinds have colours, darker on a dark page", () => {
	const colours = new FlameColours({ ...KINDS, diff: false, significance: false }),
		tree = makeCalls();
	colours.make(false);
	const light = colours.of(tree, 0);
	ok(light.startsWith("hsl("));
	equal(colours.of(tree, placeOf(tree, "main b").node), colours.of(tree, placeOf(tree, "main a b").node), "by name");
	colours.make(true);
	notEqual(colours.of(tree, 0), light);
});

test("what is new is red, what vanished blue, what chance makes grey", () => {
	const tree = makeTree({ gone: [50, 0], new: [0, 50], same: [50, 51] }),
		change = (name: string, significance: boolean) =>
			new FlameColours({ ...KINDS, diff: true, significance }).change(tree, placeOf(tree, name).node);
	equal(change("new", false), 1);
	equal(change("gone", true), -1);
	ok(change("same", false) > 0);
	equal(change("same", true), 0);
	const colours = new FlameColours({ ...KINDS, diff: true, significance: true });
	colours.make(false);
	equal(colours.of(tree, placeOf(tree, "new").node), changeColours(false)[changeIndex(1)]);
	equal(new FlameColours({ ...KINDS, diff: true, significance: false }).change(makeTree({ a: [0, 1] }), 0), 0);
});

test("texts are cut to their room", () => {
	const fit = new TextFit();
	fit.measure((text) => (text === "…" ? 5 : 10 * text.length));
	equal(fit.cut("vfs_read", 80), "vfs_read");
	equal(fit.cut("vfs_read", 79), "vfs_rea…");
	equal(fit.cut("vfs_read", 25), "vf…");
	equal(fit.cut("vfs_read", 24), "", "one letter says nothing");
	equal(fit.cut("äöü", 30), "äöü");
	equal(fit.cut("", 0), "");
});

test("addresses of a flame graph say what is shown, and are read again", () => {
	const link = { mode: "sandwich", focus: 3, node: 5, text: "a b&c", ignoreCase: true } as const;
	deepEqual(readFlameLink(writeFlameLink(link)), link);
	equal(writeFlameLink({ mode: "flame", focus: 3, node: -1, text: "", ignoreCase: false }), "");
	const nonsense = readFlameLink("v=drawing&x=-7&f=1.5&i=yes");
	deepEqual(nonsense, { mode: "flame", focus: -1, node: -1, text: "", ignoreCase: false });
	deepEqual(readFlameLink(""), nonsense);
});

test("what an address says is taken over as far as the stacks have it", () => {
	const tree = makeCalls(),
		state = new FlamePageState(tree, false);
	equal(state.take(readFlameLink("v=sandwich&f=99")), "flame", "there is no such function");
	equal(state.take(readFlameLink("v=sandwich&f=1&i=1")), "sandwich");
	deepEqual([state.focus, state.ignoreCase], [1, true]);
	deepEqual(state.placeOf(readFlameLink("x=2")), { tree, node: 2 });
	equal(state.placeOf(readFlameLink("x=99")), null);
});

test("a frame in another tree than the one above is not kept in the address", () => {
	const tree = makeCalls(),
		state = new FlamePageState(tree, false);
	equal(writeFlameLink(state.link({ tree, node: 2 })), "x=2");
	equal(state.link({ tree: makeCalls(), node: 2 }).node, -1);
	state.enter("table", null);
	equal(writeFlameLink(state.link({ tree, node: 2 })), "v=table");
});

test("a sandwich needs a function: the selected one, or an earlier one", () => {
	const tree = makeCalls(),
		state = new FlamePageState(tree, false),
		place = placeOf(tree, "main a");
	equal(state.enter("sandwich", null), false);
	equal(state.mode, "flame");
	equal(state.enter("sandwich", place), true);
	equal(nameOf({ tree: state.picture().up, node: 0 }), "a");
	ok(state.picture().down);
	state.enter("leaves", null);
	equal(state.picture().down, undefined);
	equal(state.enter("sandwich", null), true, "as before");
});

test("the callers of what is shown at full width, the last five", () => {
	const tree = makeTree({ "a b c d e f g": 1 }),
		state = new FlamePageState(tree, false),
		last = placeOf(tree, "a b c d e f g");
	deepEqual([state.callers(last).places.map(nameOf), state.callers(last).cut], [["c", "d", "e", "f", "g"], true]);
	equal(state.callers({ tree, node: 4 }).cut, false);
	deepEqual(state.callers(null).places, []);
	equal(nameOf(state.callerOf(last)), "f");
	equal(state.callerOf({ tree, node: 0 }), null);
	equal(state.callerOf(null), null);
});

test("a search knows upper and lower case, or not", () => {
	const state = new FlamePageState(makeCalls(), false);
	state.search("MAIN");
	equal(state.found!.functions, 0);
	state.ignoreCase = true;
	state.search(state.text);
	deepEqual([state.found!.functions, state.found!.share], [1, 1]);
	state.search("");
	equal(state.found, null);
});

test("keys of the page", () => {
	const state = new FlamePageState(makeCalls(), true);
	deepEqual(state.action("2"), { mode: "leaves" });
	deepEqual(state.action("ArrowUp"), { move: "in" });
	deepEqual(
		["Enter", "Backspace", "i", "r", "d", "?", "x", "5", "0"].map((key) => state.action(key)),
		["zoom", "caller", "case", "turn", "theme", "help", null, null, null],
	);
});
