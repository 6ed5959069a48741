// SPDX-License-Identifier: Apache-2.0
// The fleet's page without a page: looks and addresses, the window that slides, the order of hosts, and words.
import { deepEqual, equal, notEqual, ok } from "node:assert/strict";
import { test } from "node:test";
import {
	bucketBound,
	GridLine,
	GridModel,
	NOTHING,
	Outlier,
	readLook,
	stepOf,
	withName,
	writeLook,
} from "../../../web/src/fleet/fleetdata.js";
import { FleetState } from "../../../web/src/fleet/fleetstate.js";

const NOW = 1_700_000_000;
const grid = (from: number, columns: number): GridLine => ({ type: "grid", from, step: 1, columns });
const row = (host: string, ...values: number[]): GridLine => ({ type: "row", host, p: values });
const cells = (column: number, ...buckets: number[]): GridLine => ({
	type: "cells",
	column,
	buckets,
	counts: buckets.map(() => 1),
});

/** A state with a window of three columns: hosts a (bucket 70), b (80), c (75). */
function makeState(hash = "#tracker=offcpu"): FleetState {
	const state = new FleetState(hash),
		model = new GridModel(NOW, 1, 3);
	state.take(
		model,
		[
			grid(NOW, 3),
			row("a", 70, 70, -1),
			row("b", 80, 80, -1),
			row("c", 75, 75, -1),
			cells(0, 70, 80),
			cells(1, 75),
		],
		NOW + 3,
	);
	return state;
}
const outlier = (host: string) => ({ host, tracker: "offcpu", sentence: `${host} is slow` }) as Outlier;

test("buckets are exact up to 64, then 32 of each power of two", () => {
	deepEqual([0, 1, 64, 65, 97, 129].map(bucketBound), [0, 0, 63, 64, 128, 256]);
	ok(bucketBound(66) === 66, "64 * (1 + 1/32)");
});

test("an address has only what differs from nothing, and wrong numbers are the defaults", () => {
	const look = readLook("#tracker=lock&quantile=5000&range=1800&hosts=web*&host=web-1");
	deepEqual(readLook(writeLook(look)), look);
	equal(readLook("#range=-3&quantile=x").range, 300);
	equal(readLook("#range=-3&quantile=x").quantile, 9900);
	equal(readLook("#from=20&to=10").from, 0, "a range that ends before it begins is live");
});

test("a column has whole slots of the store", () => {
	deepEqual([300, 1800, 6 * 3600, 86400, 30 * 86400].map(stepOf), [1, 6, 120, 600, 10800]);
});

test("a name is added to a list once", () => {
	deepEqual([withName("", "a"), withName("a,b", "b"), withName("a", "b")], ["a", "a,b", "a,b"]);
});

test("another host keeps the window, another tracker, range or selection does not", () => {
	const state = makeState(),
		{ model, turn } = state;
	state.open(state.address({ host: "b" }));
	deepEqual([state.model === model, state.turn, state.look.host], [true, turn, "b"]);
	for (const change of [{ tracker: "lock" }, { range: 1800 }, { hosts: "b" }, { quantile: 5000 }]) {
		const other = makeState();
		other.open(other.address(change));
		deepEqual([other.model, other.turn], [null, 1], JSON.stringify(change));
	}
});

test("a live range ends now, a held one stays", () => {
	const state = makeState();
	deepEqual(state.range(NOW), { from: NOW - 300, to: NOW });
	equal(state.mode, "live");
	state.open(state.address(state.toggledHold(NOW)));
	deepEqual(state.range(NOW + 50), { from: NOW - 300, to: NOW });
	equal(state.mode, "held");
	deepEqual(state.toggledHold(NOW + 50), { from: 0, to: 0 });
});

test("a tracker that the range does not have is replaced by the first", () => {
	const state = makeState("#tracker=gone&host=a");
	deepEqual(state.choices, ["gone"]);
	state.takeTrackers([]);
	equal(state.look.tracker, "gone");
	state.takeTrackers(["block", "offcpu"]);
	deepEqual([state.look.tracker, state.look.host, ...state.choices], ["block", "a", "block", "offcpu"]);
	state.takeTrackers(["offcpu", "block"]);
	equal(state.look.tracker, "block");
});

test("a window begins with a whole column and reaches to the end of the range", () => {
	const model = makeState().makeWindow({ from: 1001, to: 1001 + 3600 });
	deepEqual([model.from % model.step, model.step], [0, 60]);
	ok(model.from <= 1001 && model.to >= 1001 + 3600);
});

test("a live window asks for late rows again, in whole columns; a held one asks for nothing", () => {
	const state = makeState(),
		model = new GridModel(NOW - 600, 6, 100);
	state.newest = NOW - 1;
	const { from, to } = state.nextSpan(model, NOW)!;
	deepEqual([from % 6, to % 6], [0, 0]);
	ok(from <= NOW - 15 && from > NOW - 25 && to > NOW && to <= NOW + 6);
	state.newest = NOW - 5000;
	equal(state.nextSpan(model, NOW)!.from, Math.floor(model.from / 6) * 6, "not before the window");
	state.open(state.address({ from: 1, to: 2 }));
	equal(state.nextSpan(model, NOW), null);
});

test("an answer slides the window, replaces its columns and leaves the others", () => {
	const state = makeState(),
		model = state.model!;
	equal(state.newest, NOW + 1);
	state.take(model, [grid(NOW + 1, 3), row("a", 71, 72, 73), cells(2, 73)], NOW + 4);
	deepEqual([model.from, model.to, state.newest], [NOW + 1, NOW + 4, NOW + 3]);
	deepEqual(Array.from(model.hosts.get("a")!), [71, 72, 73]);
	deepEqual(Array.from(model.hosts.get("b")!), [80, NOTHING, NOTHING], "late rows of others stay");
	deepEqual(
		model.cells.map((cell) => [...cell.keys()]),
		[[], [], [73]],
		"counts of the answered columns are replaced",
	);
});

test("outliers come first, then slow hosts; rows keep their places for three seconds", () => {
	const state = makeState();
	ok(state.order(1000));
	deepEqual(state.hosts, ["b", "c", "a"]);
	state.take(state.model!, [grid(NOW, 3), row("a", 99, 99, 99)], NOW + 3);
	ok(!state.order(3999));
	deepEqual(state.hosts, ["b", "c", "a"]);
	ok(state.order(4000));
	deepEqual(state.hosts, ["a", "b", "c"]);
	state.outliers = [outlier("c")];
	ok(state.order(4001), "another outlier orders them at once");
	deepEqual(state.hosts, ["c", "a", "b"]);
	state.forgetOrder();
	ok(state.order(4002));
	state.open(state.address({ range: 1800 }));
	ok(!state.order(9000), "there is no window");
});

test("the count of hosts and a cell in words", () => {
	const state = makeState();
	equal(state.summary, "3 hosts");
	equal(state.cellText("b", 0)!.value, "offcpu p99 94 ns");
	equal(state.cellText("b", 2)!.value, "nothing");
	equal(state.cellText("none", 0)!.value, "nothing");
	notEqual(state.cellText("b", 0)!.time, state.cellText("b", 1)!.time);
	equal(new FleetState("").cellText("b", 0), null);
	equal(new FleetState("").summary, "0 hosts");
});
