// SPDX-License-Identifier: Apache-2.0
// Stacks as trees, keys and kinds as colours: what flame graphs are drawn from.
import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";
import { CHANGE, FRAME_SHADES, KEY_COLOURS } from "../../../web/src/appearance.js";
import { treeOf } from "../../../web/src/app/stacktree.js";
import { Reader } from "../../../web/src/bytes.js";
import { claimSlots, KEY_SLOTS, keySlot, slotColour } from "../../../web/src/keycolour.js";
import { changeColours, changeIndex, kindColours, kindIndex } from "../../../web/src/framecolour.js";
import { hueOf, reverse, sandwich, Tree, usages } from "../../../web/src/tree.js";

const KINDS = {
	unknown: 4,
	kinds: ["plain", "kernel", "user", "library", "unknown", "thread", "jit"].map((name) => ({
		name,
		text: name,
		hue: 10,
		saturation: 50,
		lightness: 60,
	})),
};

/** main calls a and b; a calls b. */
function makeTree(): Tree {
	return treeOf(
		[
			{ frames: ["p`main", "p`a", "p`b"], weight: 3 },
			{ frames: ["p`main", "p`b"], weight: 2 },
			{ frames: ["p`main", "p`a"], weight: 1 },
		],
		KINDS,
	);
}

const names = (tree: Tree) =>
	[...tree.frame].map(
		(frame, node) => "  ".repeat(tree.depth[node]!) + tree.frames.name[frame] + " " + tree.total[0]![node],
	);

test("stacks with a common beginning share frames, and widths are shares", () => {
	const tree = makeTree();
	deepEqual(names(tree), ["main 6", "  a 4", "    b 3", "  b 2"]);
	deepEqual(
		[...tree.w].map((width) => Math.round(width * 6)),
		[6, 4, 3, 2],
	);
	deepEqual(
		[...tree.x].map((left) => Math.round(left * 6)),
		[0, 0, 0, 4],
	);
	deepEqual(
		tree.path(2).map((node) => tree.frames.name[tree.frame[node]!]),
		["main", "a", "b"],
	);
});

test("leaves first", () => {
	deepEqual(names(reverse(makeTree())), ["a 1", "  main 1", "b 5", "  main 2", "  a 3", "    main 3"]);
});

test("callers and callees of a function", () => {
	const tree = makeTree(),
		at = tree.frames.name.indexOf("a"),
		around = sandwich(tree, at);
	deepEqual(names(around.callees), ["a 4", "  b 3"]);
	deepEqual(names(around.callers), ["a 4", "  main 4"]);
});

test("a function in all its places counts each stack once", () => {
	const tree = treeOf(
		[
			{ frames: ["p`f", "p`g", "p`f"], weight: 4 },
			{ frames: ["p`g"], weight: 1 },
		],
		KINDS,
	);
	deepEqual(
		usages(tree).map((usage) => [tree.frames.name[usage.frame], usage.self[0], usage.total[0]]),
		[
			["f", 4, 4],
			["g", 1, 5],
		],
	);
});

test("kinds of frames by their names", () => {
	const tree = treeOf(
		[{ frames: ["bash 12", "vmlinux`read+0x12", "libc.so.6`read", "0xffff", "[jit]`x"], weight: 1 }],
		KINDS,
	);
	deepEqual(
		[...tree.frame].map((frame) => KINDS.kinds[tree.frames.kind[frame]!]!.name),
		["thread", "kernel", "library", "unknown", "jit"],
	);
	equal(tree.frames.name[tree.frame[1]!], "read", "without the offset");
});

test("a key has the same colour in any order, and neighbours differ", () => {
	claimSlots(["alpha", "beta"]);
	const alpha = keySlot("alpha");
	equal(alpha, hueOf(new TextEncoder().encode("alpha")) % KEY_SLOTS);
	const slots = Array.from({ length: KEY_SLOTS - 2 }, (_, i) => keySlot("key" + i));
	equal(new Set([alpha, keySlot("beta"), ...slots]).size, KEY_SLOTS, "as long as there are free ones");
	deepEqual(slotColour(0), [...KEY_COLOURS[0]!]);
});

test("shades of kinds and of changes", () => {
	const light = kindColours(KINDS.kinds, false),
		dark = kindColours(KINDS.kinds, true);
	equal(light.length, KINDS.kinds.length * FRAME_SHADES.count);
	equal(light[kindIndex(1, 0)], "hsl(4 50% 58%)");
	equal(dark[kindIndex(1, 0)], "hsl(4 37.5% 46%)");
	equal(changeColours(false).length, 2 * CHANGE.steps + 1);
	deepEqual([changeIndex(-1), changeIndex(0), changeIndex(1)], [0, CHANGE.steps, 2 * CHANGE.steps]);
	ok(
		changeColours(false)[0]!.startsWith(`hsl(${CHANGE.hue_less} `) &&
			changeColours(true).at(-1)!.startsWith(`hsl(${CHANGE.hue_more} `),
	);
});

test("numbers and texts of packed data; after the end everything is 0", () => {
	const reader = new Reader(Uint8Array.from([5, 0xac, 2, 2, 0x68, 0x69]));
	deepEqual(
		[reader.number(), reader.number(), reader.string(), reader.number(), reader.string()],
		[5, 300, "hi", 0, ""],
	);
});
