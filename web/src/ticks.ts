// SPDX-License-Identifier: Apache-2.0
// Distances of ticks on axes, and texts of times.
import { amount } from "./amount.js";
import { TICK_PARTS, TICK_SECONDS, TIME_STEPS } from "./appearance.js";

const DAY = 86400e3;
/** Milliseconds between two times on an axis: parts of a second, then what people count in, at last weeks. */
const TIME_DISTANCES = [
	...[1, 10, 100].flatMap((size) => [1, 2, 5].map((part) => size * part)),
	...TICK_SECONDS.map((seconds) => seconds * 1000),
	2 * DAY,
	7 * DAY,
];
const LABEL_WIDTH = 90,
	DATE_WIDTH = 125, // px from one time to the next
	SPAN_TICK_WIDTH = 110;

/** The smallest round distance that is at least `least`; as heat_tick() in src/view/picture/heat.c. */
export function tick(least: number, unit: string): number {
	const seconds = unit === "ns" && least > 5e8 ? TICK_SECONDS.find((value) => value * 1e9 >= least) : undefined,
		ten = 10 ** Math.floor(Math.log10(least > 0 ? least : 1));
	if (seconds !== undefined) return seconds * 1e9;
	return TICK_PARTS.map((part) => part * ten).find((value) => value >= least * (1 - 1e-9)) ?? 10 * ten;
}

/** Milliseconds between two times on an axis of `width` px that shows `span` ms, in columns of `step` ms. */
export function timeTick(span: number, step: number, width: number): number {
	const isShort = (distance: number) => distance >= 1e3 && distance < DAY / 2,
		fits = (distance: number) => (distance / span) * width >= (isShort(distance) ? LABEL_WIDTH : DATE_WIDTH);
	return TIME_DISTANCES.find((distance) => distance >= step && fits(distance)) ?? span;
}

/** A moment (ms since 1970) in UTC, as exact as a span (ms) needs. */
export function timeText(ms: number, span: number): string {
	const text = new Date(ms).toISOString();
	if (span > 2 * DAY) return text.slice(5, 16).replace("T", " ");
	return text.slice(11, span < 9.5e3 ? 23 : 19);
}

/** Round times between two times (ns) on an axis of `width` px. */
export function spanTicks(from: number, to: number, width: number): { ns: number; step: number }[] {
	const step = tick((to - from) / Math.max(1, width / SPAN_TICK_WIDTH), ""),
		ticks: { ns: number; step: number }[] = [];
	for (let ns = Math.ceil(from / step) * step; ns <= to; ns += step) ticks.push({ ns, step });
	return ticks;
}

/** A time since the start (ns), with as many digits as ticks that are `step` apart need to differ. */
export function spanText(ns: number, step: number): string {
	const digits = Math.max(0, Math.ceil(Math.log10(Math.max(1, ns) / step)) + 1);
	if (ns === 0) return "0";
	if (digits <= 3) return amount(ns, "ns");
	const { size, name } =
		[...TIME_STEPS].reverse().find((unit) => unit.size <= 1e9 && ns >= unit.size) ?? TIME_STEPS[0]!;
	return `${Number((ns / size).toPrecision(Math.min(15, digits)))} ${name}`;
}
