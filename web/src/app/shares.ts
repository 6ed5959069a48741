// SPDX-License-Identifier: Apache-2.0
// What sets two stretches of time apart: keys whose share of all events differs, and how sure that is. Events of one
// second have one circumstance, so seconds are what is counted: the share is a ratio of sums over seconds, and its
// variance that of ratios of clusters. Source: Cochran, Sampling Techniques, 3rd ed., 6.4.

import { sum } from "../math.js";

/** Events of each key (and of all) by second. */
export interface Counts {
	byKey: Map<string, Float64Array>;
	all: Float64Array;
}

export interface ShareChange {
	key: string;
	before: number; // shares
	now: number;
	low: number; // 95 % interval of now - before
	high: number;
	sure: boolean;
}

const SECONDS_MIN = 5,
	EVENTS_MIN = 20,
	DIFFERENCE_MIN = 0.01,
	ALPHA = 0.01;

/** Upper quantile of the normal distribution. Source: Abramowitz and Stegun, 26.2.23. */
function normal(probability: number): number {
	const root = Math.sqrt(-2 * Math.log(probability));
	return (
		root -
		(2.515517 + 0.802853 * root + 0.010328 * root * root) /
			(1 + 1.432788 * root + 0.189269 * root * root + 0.001308 * root * root * root)
	);
}

/** The same of Student's t. Source: Abramowitz and Stegun, 26.7.5. */
export function student(probability: number, freedom: number): number {
	const deviations = normal(probability);
	return (
		deviations +
		(deviations ** 3 + deviations) / (4 * freedom) +
		(5 * deviations ** 5 + 16 * deviations ** 3 + 3 * deviations) / (96 * freedom * freedom)
	);
}

/** Share of x in n, and the variance of that. */
function share(x: Float64Array | undefined, perSecond: Float64Array): [number, number] {
	const all = sum(perSecond),
		seconds = perSecond.length;
	if (!all) return [0, 0];
	const ratio = x ? sum(x) / all : 0;
	let squares = 0;
	for (let i = 0; i < seconds; i++) squares += ((x ? x[i]! : 0) - ratio * perSecond[i]!) ** 2;
	return [ratio, seconds > 1 ? (squares * seconds) / (seconds - 1) / (all * all) : Infinity];
}

/** All keys, those that differ for sure first, then by how much they do. */
export function compareShares(before: Counts, now: Counts): ShareChange[] {
	const keys = new Set([...before.byKey.keys(), ...now.byKey.keys()]),
		all: ShareChange[] = [];
	const seconds = Math.min(before.all.length, now.all.length),
		freedom = Math.max(1, seconds - 1);
	for (const key of keys) {
		const ownBefore = before.byKey.get(key),
			ownNow = now.byKey.get(key),
			[a, varianceBefore] = share(ownBefore, before.all),
			[b, varianceNow] = share(ownNow, now.all);
		const deviation = Math.sqrt(varianceBefore + varianceNow),
			wide = student(0.025, freedom) * deviation,
			events = (ownBefore ? sum(ownBefore) : 0) + (ownNow ? sum(ownNow) : 0);
		all.push({
			key,
			before: a,
			now: b,
			low: b - a - wide,
			high: b - a + wide,
			sure:
				seconds >= SECONDS_MIN &&
				events >= EVENTS_MIN &&
				Math.abs(b - a) >= DIFFERENCE_MIN &&
				Math.abs(b - a) > student(ALPHA / 2 / keys.size, freedom) * deviation,
		});
	}
	return all.sort(
		(a, b) => Number(b.sure) - Number(a.sure) || Math.abs(b.now - b.before) - Math.abs(a.now - a.before),
	);
}

export function enough(before: Counts, now: Counts): boolean {
	return Math.min(before.all.length, now.all.length) >= SECONDS_MIN;
}
