// SPDX-License-Identifier: Apache-2.0
// The live view without a page: ranges that are chosen in heat maps, their addresses, and why the trackers have ended.
import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";
import { Contents } from "../../../web/src/app/api.js";
import { ChosenRange, overviewLink } from "../../../web/src/app/chosenrange.js";
import { rowOf, ROWS } from "../../../web/src/app/heatdata.js";
import { endText } from "../../../web/src/app/liverun.js";
import { takeSelection } from "../../../web/src/app/selection.js";
import { SlowEvent } from "../../../web/src/app/slowevents.js";
import { Source } from "../../../web/src/app/stretch.js";

const SECOND = 1e9,
	MS = 1e6;
const SOURCE: Source = { id: "live", info: { wall_off: 1.7e18 } as Contents };

const makeChosen = () => new ChosenRange("block", { from: 100, to: 101, low: rowOf(MS), high: rowOf(4 * MS) });
const makeEvent = (tracker: string, end: number, delay: number) => ({ tracker, end, delay }) as SlowEvent;

test("a range has whole seconds and whole rows", () => {
	const { tracker, from, to, low, high } = makeChosen().selection;
	deepEqual([tracker, from, to], ["block", 100 * SECOND, 102 * SECOND]);
	ok(low <= MS && high > 4 * MS && rowOf(low + 1) === rowOf(MS) && rowOf(high - 1) === rowOf(4 * MS));
});

test("the first row begins at 0, the last one has no end", () => {
	const { low, high } = new ChosenRange("block", { from: 1, to: 1, low: 0, high: ROWS - 1 }).selection;
	deepEqual([low, high], [0, Infinity]);
});

test("slow events of a range have its tracker, times and delays", () => {
	const chosen = makeChosen(),
		{ low, high } = chosen.selection;
	ok(chosen.has(makeEvent("block", 100 * SECOND, 2 * MS)));
	ok(chosen.has(makeEvent("block", 102 * SECOND - 1, low)));
	ok(!chosen.has(makeEvent("block", 102 * SECOND, 2 * MS)), "too late");
	ok(!chosen.has(makeEvent("block", 100 * SECOND - 1, 2 * MS)), "too early");
	ok(!chosen.has(makeEvent("block", 100 * SECOND, high)), "too long");
	ok(!chosen.has(makeEvent("block", 100 * SECOND, low - 1)), "too short");
	ok(!chosen.has(makeEvent("lock", 100 * SECOND, 2 * MS)), "of another tracker");
});

test("times and delays make the same range again", () => {
	for (const range of [makeChosen().range, { from: 7, to: 7, low: 0, high: ROWS - 1 }])
		deepEqual(ChosenRange.of(new ChosenRange("block", range).selection).range, range);
});

test("the address of a range is read again, in another run, too", () => {
	const { selection } = makeChosen(),
		other = { ...selection, from: 90 * SECOND, to: 92 * SECOND },
		link = overviewLink(SOURCE, selection, other, "off_cpu_ns"),
		query = new URLSearchParams(link.split("?")[1]),
		later: Source = { id: "live", info: { wall_off: 1.7e18 + 50 * SECOND } as Contents };
	ok(link.startsWith("overview?of=block&"));
	equal(query.get("stacks"), "off_cpu_ns");
	deepEqual(takeSelection(query, SOURCE), [selection, other]);
	const [again] = takeSelection(query, later);
	deepEqual(ChosenRange.of(again!).range, { ...makeChosen().range, from: 50, to: 51 });
});

test("without a range or a recording, the address is the view's", () => {
	equal(overviewLink(SOURCE, null, null, ""), "overview");
	equal(overviewLink(null, makeChosen().selection, null, ""), "overview");
});

test("why the trackers have ended: errors of the compiler, or the last complaints", () => {
	equal(endText([], null), "The trackers have ended. ");
	equal(endText([], "dwell: a.d matched 3 probes\n"), "The trackers have ended. ");
	ok(endText(["a.d, line 1: no"], "something else").startsWith("The trackers have ended. a.d, line 1: no\n`dwell"));
	const text = endText([], Array.from({ length: 20 }, (_, line) => `complaint ${line}`).join("\n"));
	ok(!text.includes("complaint 11\n") && text.includes("complaint 12\n") && text.includes("complaint 19\n"));
});
