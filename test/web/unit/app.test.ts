// SPDX-License-Identifier: Apache-2.0
// Parts of the page of dwell serve that do not draw: shares, clauses that select a range, addresses, output of
// programs, completion.
import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";
import { Contents } from "../../../web/src/app/api.js";
import { memberProgram, typePlace } from "../../../web/src/app/complete.js";
import { drawingsOf, putDrawings, takeDrawings } from "../../../web/src/app/drawings.js";
import { History } from "../../../web/src/app/history.js";
import { lossKey, lossOf } from "../../../web/src/app/losses.js";
import { complaints, Output, show } from "../../../web/src/app/output.js";
import { countsOfCells } from "../../../web/src/app/rangecounts.js";
import { selecting } from "../../../web/src/app/selecting.js";
import {
	clauseOf,
	describeSelection,
	keyedSource,
	putSelection,
	Selection,
	slowParams,
	takeSelection,
} from "../../../web/src/app/selection.js";
import { compareShares, student } from "../../../web/src/app/shares.js";
import { causeOf, isIdle, isPeer, reason } from "../../../web/src/app/slow.js";
import { putStretch, Source, takeStretch } from "../../../web/src/app/stretch.js";

const HISTOGRAM = { unit: "ns", count: 1, keys: 1, p50: 1, p99: 1, max: 1, slot: 0 };

function makeSource(change: Partial<Contents> = {}): Source {
	const info: Contents = {
		host: "h",
		kernel: "6.1",
		machine: "x86_64",
		dwell: "1",
		begun: 1e9,
		wall_off: 1.7e18,
		extent: [1e9, 60e9],
		seconds: null,
		programs: [{ name: "a.d", text: "BEGIN { @a = quantize(arg0); }" }],
		stacks: [],
		slow: 0,
		lost: 0,
		left_out: 0,
		timer_due: 0,
		timer_idle: 0,
		histograms: [
			{ kind: "tracker", name: "nap", ...HISTOGRAM },
			{ kind: "aggregation", name: "by_nap_ns", ...HISTOGRAM },
			{ kind: "aggregation", name: "a", ...HISTOGRAM, unit: "" },
		],
		...change,
	};
	return { id: "r1", info };
}

const counts = (own: number[], all: number[]) => ({
	byKey: new Map([["k", new Float64Array(own)]]),
	all: new Float64Array(all),
});

test("shares that never vary differ for sure", () => {
	const all = [10, 10, 10, 10, 10],
		[change] = compareShares(counts([2, 2, 2, 2, 2], all), counts([4, 4, 4, 4, 4], all));
	deepEqual([change!.before, change!.now, change!.low, change!.sure], [0.2, 0.4, 0.2, true]);
});

test("shares that vary have the interval that clusters give", () => {
	// now: 16 of 50; squares (0 - 3.2)^2 * 3 + (8 - 3.2)^2 * 2 = 76.8; variance 76.8 * 5 / 4 / 2500 = 0.0384; t(4, 97.5
	// %) = 2.776
	const all = [10, 10, 10, 10, 10],
		change = compareShares(counts([2, 2, 2, 2, 2], all), counts([0, 8, 0, 8, 0], all))[0]!;
	ok(
		Math.abs(change.now - 0.32) < 1e-9 &&
			Math.abs(change.high - change.now + change.before - 2.776 * Math.sqrt(0.0384)) < 0.01,
	);
	equal(change.sure, false);
	equal(compareShares(counts([1, 3], [10, 10]), counts([9, 9], [10, 10]))[0]!.sure, false, "two seconds are too few");
	ok(Math.abs(student(0.025, 10) - 2.228) < 0.005, "Student's t");
});

test("a part of a cell counts as that part", () => {
	const head = { rows: 2, edges: [0, 10, 20] } as Parameters<typeof countsOfCells>[0];
	const plane = { key: "a", total: 9, index: Uint32Array.from([0, 1, 2]), count: Float64Array.from([2, 4, 3]) };
	const { all, byKey } = countsOfCells(head, [plane], { low: 5, high: 20 }, 2, 0);
	deepEqual([...all], [5, 1.5]);
	deepEqual([...byKey.get("a")!], [5, 1.5]);
});

const select = (text: string, name = "a", low = 8, high = 16, slotted = false) =>
	selecting(text, name, low, high, slotted);

test("the condition of a range follows the statement that adds", () => {
	const want =
		"fbt::f:entry\n/arg0/\n{\n\t@a[timestamp / 10, execname] = quantize(arg0 + 1);\n\tif ((arg0 + 1) >= 8 && (arg0 + 1) < 16) {\n" +
		"\t\t@selected[execname] = quantize(arg0 + 1);\n\t}\n\tself->t = 0;\n}";
	deepEqual(
		select(
			"BEGIN { x = 1; }\nfbt::f:entry\n/arg0/\n{\n\t@a[timestamp / 10, execname] = quantize(arg0 + 1);\n\tself->t = 0;\n}\n",
			"a",
			8,
			16,
			true,
		),
		{ clause: want + "\n", program: "BEGIN { x = 1; }\n" + want + "\n" },
	);
});

test("statements of all forms that add to an aggregation", () => {
	equal(
		select("BEGIN { if (x) @a = hist(arg0, 2); else y = 1; }")?.clause,
		"BEGIN { if (x) { @a = hist(arg0, 2); if (arg0 >= 8 && arg0 < 16) {\n\t\t@selected = hist(arg0, 2);\n\t} } else y = 1; }\n",
	);
	equal(
		select("BEGIN { @a = lquantize(f(1, 2), 0, 10, 1) }", "a", 0, Infinity)?.clause,
		"BEGIN { @a = lquantize(f(1, 2), 0, 10, 1);\n\t@selected = lquantize(f(1, 2), 0, 10, 1); }\n",
	);
	equal(
		select('/* @a = hist(1); */ BEGIN { printf("} @a = hist(2);"); @ab = hist(3); @a = count(); }'),
		null,
		"neither comments nor strings nor others",
	);
	equal(
		select("BEGIN { @a = hist(args[0]->d); } END { @a[1] = hist(x); }")!.clause.split("\n\n").length,
		2,
		"two clauses",
	);
	ok(
		select("BEGIN { @[1] = quantize(x); }", "")!.clause.includes("@selected[1] = quantize(x);"),
		"an aggregation without a name",
	);
	for (const text of ["BEGIN { @a = quantize(", "@a[", "{ @a = hist(1); ", "", "} ) @a = hist(1);"])
		equal(select(text), null, text);
});

test("an address brings back a selection and the one it is compared with", () => {
	const source = makeSource(),
		query = new URLSearchParams();
	const range: Selection = { tracker: "nap", from: 10e9, to: 20e9, low: 1000, high: 2000 },
		other = { ...range, tracker: "@by_nap_ns", from: 20e9, to: 30e9, high: Infinity };
	putSelection(query, source, range, other, "on_cpu");
	const [first, second] = takeSelection(new URLSearchParams(query.toString()), source);
	deepEqual([first, second], [range, other]);
	equal(query.get("stacks"), "on_cpu");
	deepEqual(takeSelection(new URLSearchParams("of=nap&from=5&to=4"), source), [null, null], "without sense: none");
});

test("a selection in words, in D, and as parameters", () => {
	const source = makeSource(),
		range: Selection = { tracker: "nap", from: 10e9, to: 20e9, low: 1000, high: Infinity };
	ok(describeSelection(source, range).startsWith("nap · "));
	ok(describeSelection(source, range).endsWith("1.00 us – ∞"));
	equal(keyedSource(source, "nap"), "@by_nap_ns");
	equal(keyedSource(source, "other"), "other");
	ok(clauseOf(source, range)!.clause.startsWith("latency:nap::all\n/args[0]->delay >= 1000/"));
	ok(clauseOf(source, { ...range, tracker: "@a" })!.clause.includes("@selected = quantize(arg0)"));
	equal(clauseOf(source, { ...range, tracker: "@b" }), null);
	deepEqual([slowParams(source, range, 5)["over"], slowParams(source, range, 5)["under"]], ["1000ns", undefined]);
});

test("a stretch of time survives its address", () => {
	const source = makeSource(),
		stretch = { from: 2e9, to: 3e9 };
	deepEqual(takeStretch(source, putStretch(source, stretch)), stretch);
	for (const text of ["", "x_y", "5_4", "1_2", null]) equal(takeStretch(source, text), null);
});

test("snapshots become a heat map of what each one added", () => {
	// 3, then 5 in all (2 more), then cleared and 1; a second key in the second snapshot
	const history = new History(),
		row = (key: string, count: number, from = 4) => ({ key: [key], values: [[{ from, to: 2 * from, count }]] });
	const take = (time: number, ...rows: ReturnType<typeof row>[]) =>
		history.take(time, rows, 0, (one) => one.key.join());
	take(10e9, row("a", 3));
	take(11.5e9, row("a", 5), row("b", 7, 16));
	take(13e9, row("a", 1));
	history.clear();
	take(14e9, row("a", 1));
	const { head, planes } = history.heat("t", "", 500)!;
	deepEqual([head.begin, head.edges, head.total], [10500, [4, 8, 16, 32], 14]);
	deepEqual(
		planes.map((plane) => [plane.key, [...plane.index], [...plane.count]]),
		[
			["a", [0, 3, 9, 12], [3, 2, 1, 1]],
			["b", [5], [7]],
		],
	);
	deepEqual(head.p50.slice(0, 5), [6, 24, null, 6, 6]);
});

test("output of a program: text, aggregations, losses", () => {
	const output = new Output();
	output.take({
		type: "event",
		time: 1e9,
		output: [
			{ action: "printf", text: "one\ntwo\n" },
			{ action: "trace", value: 3 },
		],
	});
	deepEqual(output.text, ["one", "two", "3 "]);
	const rows = [{ key: ["dd"], values: [2] }];
	output.take({ type: "snapshot", time: 1e9, aggregations: [{ name: "n", function: "count" }], rows });
	deepEqual(
		output.results.map((result) => [result.names, result.rows]),
		[[["n"], rows]],
	);
	deepEqual(drawingsOf(output.results[0]!), ["table"]);
	output.take({ type: "end", status: 4 });
	equal(output.status, 4);
	deepEqual(complaints("dwell: description 'x' matched 2 probes\nbad\n"), ["bad"]);
	equal(
		show([
			{ addr: "0x1", name: "f" },
			{ addr: "0x2", name: "g" },
		]),
		"f ← g",
	);
});

test("drawings in addresses", () => {
	const wanted = new Map([
		["a", "heat"],
		["b~c", "text"],
	] as const);
	deepEqual([...takeDrawings(putDrawings(wanted))], [...wanted]);
	deepEqual([...takeDrawings("a~nonsense,x")], []);
});

test("a loss without its number, probe and CPU", () => {
	deepEqual(lossOf({ type: "drop", count: 3, text: "3 drops on CPU 1" }), { kind: "lost", count: 3, what: "drops" });
	equal(
		lossOf({
			type: "drop",
			kind: "no loss",
			count: 2,
			text: "2 timer firings not made: their CPUs were idle by profile:::99hz",
		}).what,
		"timer firings not made: their CPUs were idle",
	);
});

test("losses of a tracker are added up for it", () => {
	const line = {
		type: "drop",
		kind: "left out",
		tag: "T",
		count: 44,
		text: "tracker offcpu: 44 slow events not shown",
	} as const;
	equal(lossOf(line).what, "tracker offcpu: slow events not shown");
	equal(lossKey(line) === lossKey({ ...line, text: "tracker lock: 1 slow event not shown" }), false);
});

test("causes: which waits are idle, which are for others, and their words", () => {
	equal(isIdle({ class: "time", cause: "sleep" }), true);
	equal(isPeer({ class: "net", cause: "socket" }), true);
	equal(isPeer({ class: "io", cause: "block I/O" }), false);
	equal(causeOf({ cause: { class: "lock", cause: "futex (lock)" }, condition: 1 })?.class, "ipc");
	equal(reason("wakeup", { state: "preempted", prev_comm: "make", prev_tid: 9 }, false), "preempted by make 9");
	equal(
		reason("wakeup", { state: "woken", prev_comm: "make", prev_tid: 9 }, false),
		"woken while make 9 was on the CPU",
	);
	equal(reason("block", { op: "read", dev: "sda", bytes: 4096 }, false), "read of 4.00 KiB on sda");
	equal(reason("lock", { lock_kind: "mutex", holder_comm: "dd", holder_tid: 3 }, true), "mutex, held by dd");
});

test("where a type or a member may be written", () => {
	equal(typePlace("BEGIN { x = (struct ta")?.kind, "struct");
	equal(typePlace("BEGIN { x = sizeof(ta")?.only, true);
	equal(typePlace("BEGIN { f(ta"), null);
	ok(memberProgram("BEGIN { x = curthread->co")!.includes("trace(curthread->"));
	equal(memberProgram('BEGIN { x = "a->b'), null);
});
