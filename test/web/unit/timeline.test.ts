// SPDX-License-Identifier: Apache-2.0
// Timelines without a canvas: intervals, what a pixel shows, sums, and where an interval comes from.
import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";
import {
	decodeRows,
	decodeTexts,
	firstAfter,
	itemAt,
	Painter,
	Row,
	sourceOf,
	sumUp,
	TimelineHead,
	WaitKind,
} from "../../../web/src/timelinemodel.js";
import { TimelineState } from "../../../web/src/timelinestate.js";

const KINDS = [
	["running", 0],
	["io", 2],
	["request", 1],
].map(([name, weight]) => ({ name, text: name, weight, hue: 0, saturation: 0, lightness: 50 }) as WaitKind);

function makeHead(): TimelineHead {
	return {
		title: "",
		begin: 0,
		origin: 1000,
		length: 100,
		items: 0,
		leftOut: 0,
		leftOutRows: 0,
		lost: 0,
		lead: 0,
		states: true,
		processes: false,
		kinds: KINDS,
		rows: [{ group: "threads", label: "dd 7", pid: 7, tid: 7, depth: 0 }],
	} as unknown as TimelineHead;
}

/** running 0 … 10, I/O 20 … 60 */
function makeRow(): Row {
	const texts = decodeTexts(Uint8Array.from([1, 0, 1, 0x66, 0]));
	return decodeRows(Uint8Array.from([2, 0, 10, 0, 1, 0, 0, 10, 40, 8, 0, 0, 0]), makeHead(), texts)[0]!;
}

test("intervals are packed as gaps and lengths", () => {
	const row = makeRow();
	deepEqual(
		[[...row.from], [...row.to], [...row.kind], [...row.cpu]],
		[
			[0, 20],
			[10, 60],
			[0, 1],
			[1, 0],
		],
	);
});

test("the interval at a time, or the nearest one", () => {
	const row = makeRow();
	deepEqual([firstAfter(row, 5), firstAfter(row, 10), firstAfter(row, 60)], [0, 1, 2]);
	deepEqual(
		[itemAt(row, 5, 0), itemAt(row, 15, 1), itemAt(row, 11, 2), itemAt(row, 19, 2), itemAt(row, 99, 2)],
		[0, -1, 0, 1, -1],
	);
});

test("a pixel mixes its intervals by their time and weight", () => {
	const palette = { rgb: Uint8Array.from([0, 0, 200, 100, 0, 0, 0, 0, 0]), weight: Float32Array.from([1, 3, 1]) },
		out = new Uint32Array(10),
		painter = new Painter();
	painter.paint(makeRow(), 0, 100, 10, palette, null, out, 0);
	equal(out[0], 0xffc80000, "blue alone");
	equal(out[1], 0, "nothing");
	equal(out[3], 0xff000064, "red alone");
	painter.paint(makeRow(), 0, 100, 1, palette, null, out, 0);
	const red = out[0]! & 255,
		blue = (out[0]! >> 16) & 255;
	ok(
		Math.abs(red - (100 * 12) / 13) < 1.5 && Math.abs(blue - 200 / 13) < 1.5,
		"10 ns of weight 1 and 40 ns of weight 3",
	);
});

test("sums of a stretch, and the longest wait", () => {
	const { spent, longest } = sumUp(makeRow(), KINDS, 5, 40);
	deepEqual([[...spent], longest], [[5, 20, 0], 20]);
});

test("where an interval comes from", () => {
	equal(sourceOf(makeRow(), 0, makeHead()), "table slow, tracker state: after what ended 1000");
	equal(sourceOf(makeRow(), 1, makeHead()), "table slow, tracker state, ended 1060");
});

/** running 0 … 10, I/O 20 … 60, which waited for "f" */
function makeState(): TimelineState {
	const state = new TimelineState();
	state.show(
		makeHead(),
		Uint8Array.from([1, 0, 1, 0x66, 0]),
		Uint8Array.from([2, 0, 10, 0, 1, 0, 0, 10, 40, 8, 0, 0, 0]),
	);
	return state;
}

test("a search counts what it finds, and keeps rows of that name", () => {
	const state = makeState(),
		all = state.search(""),
		none = state.search("nothing of the kind"),
		thread = state.search("DD");
	ok(all.hit === null && all.text === "" && all.shows(0));
	ok(none.hit === null && !none.shows(0));
	equal(none.text, "0 rows");
	ok(thread.shows(0));
	equal(thread.text, "1 rows");
});

test("an interval in words, with as many frames as asked for", () => {
	const state = makeState();
	state.texts[state.rows[0]!.text[1]!] = { words: "disk", stack: "a\nb\nc\n" };
	state.origin = "recording r1";
	const item = state.describe({ row: 0, item: 1 }, 2);
	equal(item.title, "io, 40 ns");
	equal(item.stack, "a\nb\n… 1 more");
	equal(item.lines[0]!.text, "disk");
	ok(item.lines.at(-1)!.text.endsWith(" of recording r1"));
	deepEqual(state.describe({ row: 0, item: -1 }, 2), {
		title: "dd 7",
		lines: [{ text: "process 7, thread 7", muted: false }],
		stack: "",
	});
});

test("what the time of a row went to, the most first, and of which kinds there is any", () => {
	const state = makeState(),
		{ kinds, longest } = state.spent(0, 0, 100);
	deepEqual(
		kinds.map(({ kind, ns }) => [kind, ns]),
		[
			[1, 40],
			[0, 10],
		],
	);
	equal(longest, 40);
	equal(kinds[0]!.part, 0.8);
	deepEqual(state.usedKinds(), [0, 1]);
	deepEqual(state.table(0, 15).kinds, [0]);
});

test("keys move among visible rows and the intervals of one", () => {
	const state = makeState();
	deepEqual(state.rowBeside([0], null, 1), { row: 0, item: -1 });
	deepEqual(state.rowBeside([0], { row: 0, item: 1 }, 1), { row: 0, item: -1 });
	equal(state.rowBeside([], null, 1), null);
	equal(state.itemBeside(null, 1), null);
	deepEqual(state.itemBeside({ row: 0, item: -1 }, 1), { row: 0, item: 0 });
	deepEqual(state.itemBeside({ row: 0, item: 0 }, 1), { row: 0, item: 1 });
	deepEqual(state.itemBeside({ row: 0, item: 1 }, 1), { row: 0, item: 1 });
});

test("the summary names what is missing", () => {
	const state = makeState();
	ok(!state.summary().includes("lost"));
	state.head!.lost = 3;
	state.head!.states = false;
	ok(state.summary().includes("3 events lost") && state.summary().includes("only slow waits"));
});
