// SPDX-License-Identifier: Apache-2.0
// Distributions without a canvas: heights, axes, labels, what is switched off, and the words of a row.
import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";
import { HistHead, HistModel, Series, shareText } from "../../../web/src/histmodel.js";

function makeSeries(name: string, share: number[]): Series {
	return { name, colour: "#000", count: 1000, quantiles: [], share, most: -0.25, at: 2000, chance: false };
}

function makeModel(): HistModel {
	const model = new HistModel();
	model.show({
		title: "t",
		unit: "ns",
		linear: false,
		notes: "2 keys left out",
		per: "power of two",
		names: [],
		edges: [1000, 2000, 4000, 8000],
		series: [makeSeries("a", [0.5, 0.25, 0.25]), makeSeries("b", [0.75, 0.5, 0])],
	} satisfies HistHead);
	return model;
}

test("heights are shares, or how many values are not larger, which is never more than all", () => {
	const model = makeModel();
	deepEqual(model.heights(model.head.series[0]!), [0.5, 0.25, 0.25]);
	model.shows = "sum";
	deepEqual(model.heights(model.head.series[0]!), [0.5, 0.75, 1]);
	deepEqual(model.heights(model.head.series[1]!), [0.75, 1, 1]);
});

test("the axis of shares ends at a label, and follows what is drawn", () => {
	const model = makeModel(),
		whole = model.shareAxis();
	ok(whole.most >= 0.75 && whole.most < 0.75 + whole.step);
	ok(Math.abs(whole.most / whole.step - Math.round(whole.most / whole.step)) < 1e-9);
	model.toggle(1);
	ok(model.shareAxis().most < whole.most);
	model.shows = "sum";
	equal(model.shareAxis().most, 1);
});

test("a series is switched off and on; other distributions begin with all", () => {
	const model = makeModel();
	model.toggle(0);
	deepEqual(
		model.drawn.map((series) => series.name),
		["b"],
	);
	model.toggle(0);
	equal(model.drawn.length, 2);
	model.toggle(1);
	model.show(model.head);
	equal(model.drawn.length, 2);
});

test("a row is chosen within the distribution only", () => {
	const model = makeModel();
	ok(!model.choose(-1));
	ok(model.choose(2));
	ok(!model.choose(2));
	ok(!model.move(1));
	equal(model.row, 2);
	ok(model.move(-1));
	equal(model.row, 1);
	ok(model.choose(3));
	equal(model.row, -1);
});

test("labels of values do not touch", () => {
	const model = makeModel();
	deepEqual(
		model.valueLabels(300).map((label) => label.row),
		[0, 1, 2],
	);
	deepEqual(
		model.valueLabels(120).map((label) => label.row),
		[0, 2],
	);
	model.head.edges = Array.from({ length: 31 }, (_, i) => 1000 + i);
	deepEqual(
		model.valueLabels(3000).map((label) => label.row),
		[24],
	); // 1024: of many rows, powers of two
});

test("words of a row, and of a difference", () => {
	const model = makeModel();
	model.toggle(1);
	model.choose(1);
	const { range, lines } = model.rowText();
	equal(range, "2.00 us to 4.00 us");
	deepEqual(lines, ["a: 25.00 % (250), 75.00 % are not larger"]);
	ok(model.differenceText(model.head.series[0]!).startsWith("25.00 % fewer below 2.00 us"));
	equal(model.quantileText({ value: null, error: null, ratio: null }), "");
	ok(model.quantileText({ value: 5, error: null, ratio: null }).startsWith("> "));
	equal(model.quantileNote({ value: 5, error: 0.016, ratio: 2 }, 0), " ± 1.6 %");
	equal(model.quantileNote({ value: 5, error: 0, ratio: 2 }, 1), " × 2.00");
	equal(shareText(0.125, 0.005), "12.5 %");
	equal(shareText(0.1, 0.05), "10 %");
});
