// SPDX-License-Identifier: Apache-2.0
// Amounts, ticks and small functions over numbers.
import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";
import { amount, number, percent } from "../../../web/src/amount.js";
import { clamp, firstWhere, sum } from "../../../web/src/math.js";
import { spanText, spanTicks, tick, timeText, timeTick } from "../../../web/src/ticks.js";

test("amounts of time have the largest unit that leaves 1, and three digits", () => {
	const cases: [number, string, string][] = [
		[0, "ns", "0 ns"],
		[999, "ns", "999 ns"],
		[1000, "ns", "1.00 us"],
		[1234567, "ns", "1.23 ms"],
		[12345678, "ns", "12.3 ms"],
		[123456789, "ns", "123 ms"],
		[90e9, "ns", "90.0 s"],
		[120e9, "ns", "2.00 min"],
		[7199e9, "ns", "120 min"],
		[7200e9, "ns", "2.00 h"],
		[1500, "us", "1.50 ms"],
		[3, "ms", "3.00 ms"],
		[0.5, "ns", "0.50 ns"],
	];
	for (const [value, unit, text] of cases) equal(amount(value, unit), text);
});

test("amounts of bytes and of other units", () => {
	equal(amount(1023, "bytes"), "1023 bytes");
	equal(amount(1536, "bytes"), "1.50 KiB");
	equal(amount(3 * 2 ** 30, "bytes"), "3.00 GiB");
	equal(amount(1234567, "requests"), "1,234,567 requests");
	equal(amount(12, ""), "12");
	equal(number(-1234.4), "-1,234");
	equal(percent(0.12345), "12.35 %");
});

test("ticks are round values, and times that people count in", () => {
	for (const [least, unit, want] of [
		[0.3, "", 0.5],
		[11, "", 20],
		[1, "", 1],
		[600, "ns", 1000],
		[6e8, "ns", 1e9],
		[11e9, "ns", 15e9],
		[50e9, "ns", 60e9],
	] as const)
		equal(tick(least, unit), want);
	equal(timeTick(60e3, 1000, 1000), 10e3);
	equal(timeTick(500, 1, 1000), 100);
	equal(timeTick(3600e3, 1000, 1000), 600e3);
});

test("a time is as exact as its span needs", () => {
	const ms = Date.UTC(2026, 10, 27, 1, 2, 3, 45);
	equal(timeText(ms, 1000), "01:02:03.045");
	equal(timeText(ms, 60e3), "01:02:03");
	equal(timeText(ms, 3 * 86400e3), "11-27 01:02");
});

test("clamp, sum, firstWhere", () => {
	deepEqual([clamp(5, 0, 3), clamp(-1, 0, 3), clamp(2, 0, 3)], [3, 0, 2]);
	equal(sum([]), 0);
	equal(sum(new Float64Array([1, 2, 3])), 6);
	deepEqual(
		[0, 3, 9, 99].map((value) => firstWhere(10, (index) => index >= value)),
		[0, 3, 9, 10],
	);
});

test("times of a timeline's axis have as many digits as neighbours need to differ", () => {
	deepEqual(
		spanTicks(0, 1000, 330).map(({ ns }) => ns),
		[0, 500, 1000],
	);
	deepEqual([spanText(0, 10), spanText(1234567, 10), spanText(5e9, 1e9)], ["0", "1.234567 ms", "5.00 s"]);
});
