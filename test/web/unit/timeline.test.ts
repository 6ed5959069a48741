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
