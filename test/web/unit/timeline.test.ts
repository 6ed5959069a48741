// SPDX-License-Identifier: Apache-2.0
// Timelines without a canvas: intervals, what a pixel shows, sums, and where an interval comes from.
import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";
import { kindColour, legendColour, makePalette } from "../../../web/src/timelinecolour.js";
import { TimelineDrag } from "../../../web/src/timelinedrag.js";
import { AXIS_HEIGHT, ROW_HEIGHT, TimelineFrame } from "../../../web/src/timelineframe.js";
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

// -- what is where --

const ROW_ALONE = { flags: [0, 0], kind: [0, 0] };

/** Two threads and a CPU, each with intervals 0 … 1000 and 5000 … 6000 of 10000 ns, in a window of 808 × 100 px. */
function makeFrame(): TimelineFrame {
	const frame = new TimelineFrame(),
		rows = ["cpus", "threads", "threads"].map(
			(group) =>
				({
					...ROW_ALONE,
					group,
					n: 2,
					from: Float64Array.from([0, 5000]),
					to: Float64Array.from([1000, 6000]),
				}) as unknown as Row,
		);
	frame.resize(808, 100);
	frame.show(rows, 10000);
	return frame;
}

test("rows stand below the heading of their group", () => {
	const frame = makeFrame();
	deepEqual(
		frame.lines.map(({ row, head, y }) => [row, head, y]),
		[
			[-1, "CPUs", 0],
			[0, "", 20],
			[-1, "Threads", 37],
			[1, "", 57],
			[2, "", 74],
		],
	);
	equal(frame.height, 91 + AXIS_HEIGHT + 8);
	deepEqual(frame.visible, [0, 1, 2]);
});

test("rows that a search leaves out are not there, nor is their heading", () => {
	const frame = makeFrame();
	frame.layOut((row) => row === 2);
	deepEqual(frame.visible, [2]);
	deepEqual(
		frame.lines.map(({ y }) => y),
		[0, 20],
	);
	equal(frame.lineOf(0), undefined);
});

test("labels take a share of a narrow window, and no more than they need of a wide one", () => {
	const frame = makeFrame();
	deepEqual([frame.left, frame.width], [190, 610]);
	frame.resize(400, 100);
	deepEqual([frame.left, frame.width], [120, 272]);
	frame.resize(0, 0);
	equal(frame.width, 1);
});

test("times have places, and places times", () => {
	const frame = makeFrame();
	frame.zoom(2000, 4000);
	deepEqual([frame.x(2000), frame.x(3000), frame.x(4000)], [190, 495, 800]);
	equal(frame.timeAt(frame.x(2345)), 2345);
});

test("zooming stays within the timeline, and ends at what can be told apart", () => {
	const frame = makeFrame(),
		zoom = (from: number, to: number) => {
			frame.zoom(from, to);
			return [frame.from, frame.to];
		};
	deepEqual(zoom(-500, 500), [0, 1000]);
	deepEqual(zoom(9500, 10500), [9000, 10000]);
	deepEqual(zoom(-1e6, 1e6), [0, 10000]);
	deepEqual(zoom(5000, 5010), [4955, 5055]);
});

test("zooming at a place keeps its time there; moving along keeps the span", () => {
	const frame = makeFrame(),
		x = frame.x(4000);
	frame.zoomAt(x, 0.5);
	equal(frame.span, 5000);
	ok(Math.abs(frame.x(4000) - x) < 1e-9);
	frame.pan(0.2);
	deepEqual([frame.from, frame.span], [3000, 5000]);
	frame.pan(-9);
	deepEqual([frame.from, frame.to], [0, 5000]);
});

test("what is at a point: an interval, a row, a heading, the axis", () => {
	const frame = makeFrame(),
		y = (row: number) => frame.lineOf(row)!.y + AXIS_HEIGHT + ROW_HEIGHT / 2;
	deepEqual(frame.at(frame.x(500), y(1), 0), { row: 1, item: 0 });
	deepEqual(frame.at(frame.x(5500), y(1) - 10, 10), { row: 1, item: 1 }, "scrolled");
	deepEqual(frame.at(frame.x(3000), y(1), 0), { row: 1, item: -1 });
	deepEqual(frame.at(frame.x(1000) + 1, y(1), 0), { row: 1, item: 0 }, "just beside it");
	deepEqual(frame.at(10, y(2), 0), { row: 2, item: -1 }, "its label");
	equal(frame.at(frame.x(500), AXIS_HEIGHT + 5, 0), null, "a heading");
	equal(frame.at(frame.x(500), AXIS_HEIGHT - 1, 50), null, "the axis");
	equal(frame.at(frame.x(500), 500, 0), null, "below the last row");
});

test("an interval gets its own length on both sides", () => {
	const frame = makeFrame();
	ok(frame.zoomInto({ row: 0, item: 1 }));
	deepEqual([frame.from, frame.to], [4000, 7000]);
	ok(!frame.zoomInto({ row: 0, item: -1 }));
});

test("an interval that is chosen comes into sight, with the same span", () => {
	const frame = makeFrame();
	frame.zoom(0, 1000);
	ok(!frame.moveTo({ row: 0, item: 0 }), "it is seen");
	ok(!frame.moveTo({ row: 0, item: -1 }), "a row is always seen");
	ok(frame.moveTo({ row: 0, item: 1 }));
	deepEqual([frame.from, frame.to], [5000, 6000]);
});

test("a row that is chosen comes into sight", () => {
	const frame = makeFrame();
	equal(frame.scrollTo(0, 0), 0, "it is seen");
	equal(frame.scrollTo(2, 0), 24);
	equal(frame.scrollTo(0, 30), 0);
	equal(frame.scrollTo(99, 7), 7, "it is left out");
	deepEqual(
		frame.linesInside(40).map(({ row }) => row),
		[-1, 1, 2],
	);
	frame.resize(808, 60);
	deepEqual(
		frame.linesInside(0).map(({ row }) => row),
		[-1, 0],
	);
});

test("edges of an interval end where the intervals end", () => {
	const frame = makeFrame();
	frame.zoom(500, 5500);
	deepEqual(frame.edgesOf({ row: 0, item: 0 }), [190, 251]);
	deepEqual(frame.edgesOf({ row: 0, item: 1 }), [739, 800]);
	frame.zoom(2000, 4000);
	equal(frame.edgesOf({ row: 0, item: 0 }), null);
});

test("another timeline begins with all of it, and nothing chosen", () => {
	const frame = makeFrame();
	frame.picked = { row: 0, item: 0 };
	frame.found = new Uint8Array(1);
	frame.zoom(1000, 2000);
	frame.show([], 500);
	deepEqual([frame.from, frame.to, frame.picked, frame.found, frame.visible], [0, 500, null, null, []]);
});

test("a drag moves along, or selects a stretch; a short one is a click", () => {
	const along = new TimelineDrag(100, 0, 1000, false);
	along.moveTo(102);
	deepEqual([along.hasMoved, along.times(500), along.stretch], [false, null, null]);
	along.moveTo(50);
	deepEqual([along.hasMoved, along.times(500), along.stretch], [true, [100, 1100], null]);
	along.moveTo(100);
	deepEqual(along.times(500), [0, 1000], "and back");
	const selects = new TimelineDrag(100, 0, 1000, true);
	selects.moveTo(50);
	deepEqual([selects.times(500), selects.stretch], [null, [50, 100]]);
});

test("kinds have colours, other ones on a dark page; what is named has several in legends", () => {
	const [running, , request] = KINDS;
	equal(kindColour(running!, false), "hsl(0 0% 50%)");
	ok(kindColour(running!, true).startsWith("hsl(0 0% "));
	equal(legendColour(running!, true), kindColour(running!, true));
	ok(legendColour(request!, false).startsWith("linear-gradient("));
});

test("waits weigh more in a pixel than what runs", () => {
	const asked: string[] = [],
		{ rgb, weight } = makePalette(KINDS, false, (colour) => {
			asked.push(colour);
			return [asked.length, 0, 0];
		});
	deepEqual([...weight.subarray(0, 4)], [1, 16, 4, 16]);
	equal(rgb.length, 3 * weight.length);
	deepEqual([asked[0], asked[1], rgb[3]], [kindColour(KINDS[0]!, false), kindColour(KINDS[1]!, false), 2]);
});
