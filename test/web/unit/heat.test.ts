// SPDX-License-Identifier: Apache-2.0
// Heat maps without a canvas: counts when keys are selected, levels, pixels, places on the canvas, words.
import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";
import { HeatCells } from "../../../web/src/heatcells.js";
import { GREY_PIXEL, gradient, gradientPixels, opacityOf, shadesTo } from "../../../web/src/heatcolour.js";
import { HeatFrame, LEFT, TOP } from "../../../web/src/heatframe.js";
import {
	countUpTo,
	decodeHeat,
	HeatHead,
	histogram,
	levelCells,
	levelTable,
	Plane,
	transpose,
} from "../../../web/src/heatmodel.js";
import { cellLines, columnTable, keyLines, missingLines, summaryText } from "../../../web/src/heattext.js";
import { keyColour } from "../../../web/src/keycolour.js";

/** 3 columns, 2 rows. */
function makeHead(change: Partial<HeatHead> = {}): HeatHead {
	const none = [null, null, null];
	return {
		title: "t",
		unit: "ns",
		columns: 3,
		rows: 2,
		begin: 0,
		step: 1000,
		total: 10,
		edges: [0, 1000, 2000],
		keys: ["a", "b"],
		avg: none,
		p50: [500, null, 1500],
		p90: none,
		p99: none,
		lost: [0, 7, 0],
		late: false,
		...change,
	};
}

function plane(key: string, cells: [number, number][]): Plane {
	return {
		key,
		total: cells.reduce((all, [, count]) => all + count, 0),
		index: Uint32Array.from(cells, ([cell]) => cell),
		count: Float64Array.from(cells, ([, count]) => count),
	};
}

function makeCells(): HeatCells {
	return new HeatCells(makeHead(), [
		plane("a", [
			[0, 1],
			[3, 4],
		]),
		plane("b", [
			[3, 4],
			[5, 1],
		]),
	]);
}

test("cells are differences of LEB128 numbers, and stay within the map", () => {
	const planes = decodeHeat(Uint8Array.from([2, 1, 0xac, 2, 9, 1, 0]), makeHead());
	deepEqual([...planes[0]!.index], [1, 5]);
	deepEqual([...planes[0]!.count], [300, 1]);
	equal(planes[0]!.total, 301);
	equal(planes[1]!.total, 0);
});

test("selected keys are shown over the rest, alone, or left out", () => {
	const cells = makeCells();
	deepEqual([...cells.counts], [1, 0, 0, 8, 0, 1]);
	cells.toggle(0);
	deepEqual([...cells.counts], [1, 0, 0, 8, 0, 1]);
	cells.selecting = "isolate";
	cells.recount();
	deepEqual([...cells.counts], [1, 0, 0, 4, 0, 0]);
	cells.selecting = "exclude";
	cells.recount();
	deepEqual([...cells.counts], [0, 0, 0, 4, 0, 1]);
	cells.toggle(0);
	deepEqual([...cells.counts], [1, 0, 0, 8, 0, 1]);
	deepEqual(cells.keysOf({ column: 1, row: 1 }), [
		{ key: 0, count: 4 },
		{ key: 1, count: 4 },
	]);
});

test("newer cells take the place of older ones", () => {
	const cells = makeCells();
	cells.update(makeHead(), [plane("a", [[2, 5]])]);
	deepEqual([...cells.counts], [0, 0, 5, 0, 0, 0]);
});

test("colours by rank are of shares of cells, by count of shares of the largest", () => {
	const counts = Uint32Array.from([0, 1, 1, 2, 9]),
		byCount = histogram(counts)!;
	deepEqual(
		[1, 2, 9].map((count) => levelTable(byCount, "rank")[count]),
		[0.5, 0.75, 1],
	);
	ok(Math.abs(levelTable(byCount, "linear")[2]! - 2 / 9) < 1e-6);
	for (const scale of ["rank", "log", "linear"] as const) {
		const table = levelTable(byCount, scale),
			cells = levelCells(counts, scale);
		counts.forEach((count, cell) =>
			ok(Math.abs(cells[cell]! - (count ? table[count]! : 0)) < 1e-6, `${scale} of ${count}`),
		);
	}
	equal(histogram(Float64Array.from([2 ** 21])), null, "counts that are too large for a table");
	equal(countUpTo([1, 2, 2, 5], 2), 3);
});

test("the fullest cell has the last colour, an empty one none", () => {
	const pixels = makeCells().paint(false),
		colours = gradientPixels(false);
	equal(pixels[3], colours[255]);
	equal(pixels[1], 0);
	deepEqual(Array.from(gradient(true).slice(0, 3)), [68, 1, 84], "dark on dark is few");
	deepEqual(Array.from(gradient(false).slice(0, 3)), [253, 231, 37], "light on light is few");
});

test("a cell has of a selected key's colour as much as of its counts", () => {
	const cells = makeCells();
	cells.toggle(0);
	const pixels = cells.paint(false),
		shades = shadesTo(keyColour("a"));
	equal(pixels[0], (shades[255]! | opacityOf(levelTable(histogram(cells.counts)!, "rank")[1]!)) >>> 0);
	equal(pixels[5]! & 0xffffff, GREY_PIXEL & 0xffffff, "of other keys: grey");
	cells.selecting = "isolate";
	cells.recount();
	equal(cells.paint(false)[5], 0, "isolated: nothing");
});

test("columns from below become lines from above", () => {
	const picture = new Uint32Array(6);
	transpose(Uint32Array.from([1, 2, 3, 4, 5, 6]), 3, 2, picture);
	deepEqual([...picture], [2, 4, 6, 1, 3, 5]);
});

test("points of the canvas and cells belong together", () => {
	const frame = new HeatFrame(makeHead());
	frame.resize(LEFT + 10 + 300, TOP + 30 + 200);
	deepEqual([frame.width, frame.height, frame.bottom], [300, 200, TOP + 200]);
	for (let column = 0; column < 3; column++)
		for (let row = 0; row < 2; row++)
			deepEqual(frame.cellAt(frame.x(column) + 50, frame.rowY(row) - 50), { column, row });
	equal(frame.cellAt(LEFT - 1, TOP + 5), null);
	deepEqual(frame.nearestCell(-100, 1e4), { column: 0, row: 0 });
	equal(frame.valueY(500), frame.bottom - 50);
	frame.zoom(1, 99);
	deepEqual([frame.from, frame.to, frame.columnAt(LEFT + 299)], [1, 3, 2]);
	frame.update(makeHead({ columns: 5 }));
	deepEqual([frame.from, frame.to], [1, 3], "a part stays that part");
	frame.zoom(0, 5);
	frame.update(makeHead({ columns: 6 }));
	equal(frame.to, 6, "all stays all");
});

test("axes: round values, powers of two, and times", () => {
	const frame = new HeatFrame(makeHead());
	frame.resize(LEFT + 10 + 300, TOP + 30 + 200);
	deepEqual(
		frame.valueTicks().map((tick) => tick.value),
		[0, 500, 1000, 1500, 2000],
	);
	const octaves = new HeatFrame(makeHead({ rows: 4, edges: [1, 2, 3, 4, 8] }));
	octaves.resize(LEFT + 10 + 300, TOP + 30 + 200);
	deepEqual(
		octaves.valueTicks().map((tick) => tick.value),
		[1, 2, 4, 8],
	);
	deepEqual(frame.timeTicks().times, [0, 1000, 2000, 3000]);
	equal(frame.timeX(1500), LEFT + 150);
});

test("a heat map in words", () => {
	const cells = makeCells(),
		{ head } = cells;
	equal(summaryText(head), "10 events · columns of 1.00 s · 7 lost");
	deepEqual(cellLines(head, { column: 1, row: 1 }), ["00:00:01.000 UTC", "1.00 us to 2.00 us"]);
	deepEqual(keyLines(cells, { column: 1, row: 1 }), ["a: 4", "b: 4"]);
	deepEqual(missingLines(makeHead({ notes: [[1, "did not run", 1]] }), 1), [
		"7 lost in this column",
		"dwell: did not run",
	]);
	deepEqual(missingLines(head, 2), []);
	deepEqual(
		columnTable(cells).rows.map((row) => [row[0], row[1], row[3], row[6]]),
		[
			["00:00:00.000", "1", "500 ns", ""],
			["00:00:01.000", "8", "", "7"],
			["00:00:02.000", "1", "1.50 us", ""],
		],
	);
});
