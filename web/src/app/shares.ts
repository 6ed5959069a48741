// SPDX-License-Identifier: Apache-2.0
// What sets two stretches of time apart: keys whose share of all events differs, and how sure that is. Events of one
// second have one circumstance, so seconds are what is counted: the share is a ratio of sums over seconds, and its
// variance that of ratios of clusters. Source: Cochran, Sampling Techniques, 3rd ed., 6.4.

import { sum } from "../short.js";

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

const SECONDS_MIN = 5, EVENTS_MIN = 20, DIFFERENCE_MIN = 0.01, ALPHA = 0.01;

/** Upper quantile of the normal distribution. Source: Abramowitz and Stegun, 26.2.23. */
function normal(p: number): number {
	const t = Math.sqrt(-2 * Math.log(p));
	return t - (2.515517 + 0.802853 * t + 0.010328 * t * t) / (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t * t * t);
}

/** The same of Student's t. Source: Abramowitz and Stegun, 26.7.5. */
export function student(p: number, df: number): number {
	const z = normal(p);
	return z + (z ** 3 + z) / (4 * df) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * df * df);
}

/** Share of x in n, and the variance of that. */
function share(x: Float64Array | undefined, n: Float64Array): [number, number] {
	const all = sum(n), m = n.length;
	if (!all)
		return [0, 0];
	const r = x ? sum(x) / all : 0;
	let squares = 0;
	for (let i = 0; i < m; i++)
		squares += ((x ? x[i]! : 0) - r * n[i]!) ** 2;
	return [r, m > 1 ? squares * m / (m - 1) / (all * all) : Infinity];
}

/** All keys, those that differ for sure first, then by how much they do. */
export function compareShares(before: Counts, now: Counts): ShareChange[] {
	const keys = new Set([...before.byKey.keys(), ...now.byKey.keys()]), all: ShareChange[] = [];
	const seconds = Math.min(before.all.length, now.all.length), df = Math.max(1, seconds - 1);
	for (const key of keys) {
		const xa = before.byKey.get(key), xb = now.byKey.get(key), [a, va] = share(xa, before.all), [b, vb] = share(xb, now.all);
		const sd = Math.sqrt(va + vb), wide = student(0.025, df) * sd, events = (xa ? sum(xa) : 0) + (xb ? sum(xb) : 0);
		all.push({ key, before: a, now: b, low: b - a - wide, high: b - a + wide, sure: seconds >= SECONDS_MIN && events >= EVENTS_MIN &&
			Math.abs(b - a) >= DIFFERENCE_MIN && Math.abs(b - a) > student(ALPHA / 2 / keys.size, df) * sd });
	}
	return all.sort((p, q) => Number(q.sure) - Number(p.sure) || Math.abs(q.now - q.before) - Math.abs(p.now - p.before));
}

export function enough(before: Counts, now: Counts): boolean {
	return Math.min(before.all.length, now.all.length) >= SECONDS_MIN;
}
