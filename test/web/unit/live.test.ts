// SPDX-License-Identifier: Apache-2.0
// The live view without a page: lines of the run in, what is shown out. Losses, limits and idle time apart.
import { deepEqual, equal, ok } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Line } from "../../../web/src/app/api.js";
import { HeatData, rowOf, rowRange, ROWS } from "../../../web/src/app/heatdata.js";
import { LiveModel, TRACKERS } from "../../../web/src/app/livemodel.js";
import { missingTexts } from "../../../web/src/app/losses.js";
import { LIVE_KEYED } from "../../../web/src/app/selection.js";
import { TrackerState } from "../../../web/src/app/trackerstate.js";

const SECOND = 1e9,
	ROOT = process.env["DWELL_ROOT"]!;

function histogram(tracker: string, second: number, delay: number, count: number, more: Partial<Line> = {}): Line {
	return {
		type: "histogram",
		tracker,
		time: second * SECOND,
		buckets: [{ from: delay, to: delay, count }],
		max: delay,
		sum: delay * count,
		...more,
	};
}

function slow(tracker: string, end: number, delay: number, attributes: Record<string, unknown>, comm = "dd"): Line {
	return {
		type: "event",
		time: end,
		output: [{ action: "slow", tracker, delay, opener: { comm, tid: 7 }, attributes }],
	};
}

test("rows of half an octave cover all delays", () => {
	equal(rowOf(0), 0);
	equal(rowOf(1e18), ROWS - 1);
	for (let row = 0; row < ROWS; row++) {
		const [low, high] = rowRange(row);
		ok(low < high && rowOf(low === 0 ? 1 : low * 1.001) === row);
		if (row) equal(rowRange(row - 1)[1], low);
	}
});

test("quantiles are of the seconds that were asked for, and old seconds are forgotten", () => {
	const data = new HeatData();
	data.add(10, [
		{ from: 1e6, to: 1e6, count: 99 },
		{ from: 1e9, to: 1e9, count: 1 },
	]);
	data.add(11, [{ from: 1e3, to: 1e3, count: 1000 }]);
	ok(Math.abs(Math.log2(data.quantile(10, 10, 0.5) / 1e6)) < 0.5);
	ok(Math.abs(Math.log2(data.quantile(10, 10, 1) / 1e9)) < 0.5);
	ok(Math.abs(Math.log2(data.quantile(10, 11, 0.5) / 1e3)) < 0.5);
	equal(data.quantile(20, 30, 0.5), 0);
	data.add(500, [{ from: 1, to: 1, count: 1 }]);
	equal(data.cells.has(10), false);
});

test("numbers of a tracker; a median is the middle of its row", () => {
	const tracker = new TrackerState("wakeup");
	for (let second = 91; second <= 100; second++) tracker.add(histogram("wakeup", second, 2e6, 500));
	const [atOnce, perSecond, median, , longest] = tracker.numbers(100);
	deepEqual([atOnce, perSecond, median, longest], ["1.0", "83", "1.76 ms", "2.00 ms"]);
});

test("a detached probe is a gap until it is attached again", () => {
	const model = new LiveModel(),
		tracker = model.trackers.get("softirq")!;
	model.take(histogram("wakeup", 100, 1e6, 1));
	model.take({
		type: "message",
		time: 105 * SECOND,
		text: "maxcpu: detached irq:::softirq-entry (softirq.d): 3 % of a CPU",
	});
	deepEqual(model.stopped, ["softirq"]);
	equal(model.headline.bad, true);
	equal(tracker.atOnce(110), "–");
	ok(model.gap(tracker, 106).startsWith("dwell had detached"));
	model.take({
		type: "message",
		time: 109 * SECOND,
		text: "maxcpu: attached irq:::softirq-entry (softirq.d): for 4.0 s",
	});
	deepEqual(model.stopped, []);
	deepEqual(tracker.reasons, []);
	ok(tracker.wasOff(107) && !tracker.wasOff(111));
	ok(model.gap(tracker, 99).startsWith("this page knows"));
});

test("a probe of another file that is detached is a limit, and no loss", () => {
	const model = new LiveModel();
	model.take({ type: "message", text: "maxcpu: detached profile:::99hz (overview.d): 3 %" });
	deepEqual(
		model.losses.texts.map((loss) => loss.kind),
		["left out"],
	);
	model.take({ type: "message", text: "maxcpu: attached profile:::99hz (overview.d): for 2 s" });
	deepEqual(model.losses.texts, []);
});

test("losses, limits and idle time are told apart, and added up", () => {
	const model = new LiveModel();
	for (let i = 0; i < 2; i++) {
		model.take({
			type: "drop",
			kind: "left out",
			tag: "DROP_TRACK_LIMITED",
			count: 1500,
			text: "1500 slow events not shown: more than the limit per second",
		});
		model.take({ type: "drop", kind: "lost", tag: "DTRACEDROP_PRINCIPAL", count: 3, text: "3 drops on CPU 1" });
		model.take({
			type: "drop",
			kind: "no loss",
			tag: "DTRACEDROP_IDLE",
			count: 40,
			text: "40 timer firings not made: their CPUs were idle",
		});
	}
	deepEqual(model.losses.texts, [
		{ kind: "lost", text: "6 drops" },
		{ kind: "left out", text: "3,000 slow events not shown: more than the limit per second" },
		{ kind: "no loss", text: "80 timer firings not made: their CPUs were idle" },
	]);
	ok(model.losses.has("lost"));
	model.restart();
	deepEqual(model.losses.texts, []);
});

test("what a recording is missing: idle CPUs are no loss", () => {
	deepEqual(
		missingTexts({ lost: 0, left_out: 0, timer_due: 1000, timer_idle: 930 }).map((loss) => loss.kind),
		["no loss"],
	);
	ok(
		missingTexts({ lost: 0, left_out: 0, timer_due: 1000, timer_idle: 930 })[0]!.text.includes(
			"93.00 % of 1,000 timer samples",
		),
	);
	deepEqual(
		missingTexts({ lost: 5, left_out: 6, timer_due: 0, timer_idle: 0 }).map((loss) => loss.kind),
		["lost", "left out"],
	);
	deepEqual(missingTexts({ lost: 0, left_out: 0, timer_due: 1000, timer_idle: 0 }), []);
});

test("the longest wait of the last minute is the headline; idle waits are not, waits for others come last", () => {
	const model = new LiveModel(),
		at = 100 * SECOND;
	model.take(histogram("offcpu", 100, 1e6, 1));
	equal(model.headline.text, "Nothing was slow in the last minute.");
	model.take(slow("offcpu", at, 9e9, { cause: { class: "idle", cause: "epoll" } }));
	equal(model.headline.text, "Nothing was slow in the last minute.");
	model.take(slow("offcpu", at, 5e9, { cause: { class: "ipc", cause: "pipe" } }, "cat"));
	model.take(slow("offcpu", at, 1e9, { cause: { class: "io", cause: "block I/O" } }));
	ok(model.headline.text.startsWith("Slowest: dd, 1.00 s (offcpu): block I/O"), model.headline.text);
	deepEqual(
		model.slow.causes(model.minuteAgo).map((sum) => sum.event.comm),
		["dd", "cat"],
	);
	deepEqual(model.slow.causes(at + 1), [], "what ended before is forgotten");
	equal(model.slowEvents(2, (event) => !event.idle).length, 2);
	equal(model.slowEvents(9, () => true)[0]!.comm, "dd", "the newest first");
});

test("what this kernel does not have is told at its tracker", () => {
	const model = new LiveModel();
	model.take({ type: "diagnostic", source: "/x/lock.d", message: "left out: no tracepoint" });
	deepEqual(model.trackers.get("lock")!.reasons, ["not on this kernel: no tracepoint"]);
	model.take({ type: "diagnostic", severity: "error", source: "a.d", line: 3, message: "syntax" });
	deepEqual(model.errors, ["a.d, line 3: syntax"]);
});

test("trackers of the page are those that the live view runs", () => {
	for (const [name] of TRACKERS)
		ok(
			new RegExp(`\\btracker\\s+${name}\\b`).test(readFileSync(`${ROOT}/dlib/latency/${name}.d`, "utf8")),
			`${name}.d has the tracker`,
		);
	const overview = readFileSync(`${ROOT}/dlib/latency/overview.d`, "utf8");
	for (const name of LIVE_KEYED) ok(overview.includes(`@by_${name}_ns`), `overview.d counts ${name} by key`);
});
