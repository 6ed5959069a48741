// SPDX-License-Identifier: Apache-2.0
// What is called most, by names that can be shortened: the bundler puts these in place of Math.max … (src/view/meson.build).
export const { max: mathMax, min: mathMin, floor: mathFloor, round: mathRound, abs: mathAbs, ceil: mathCeil } = Math;

export function clamp(v: number, low: number, high: number): number {
	return Math.max(low, Math.min(high, v));
}

export function sum(all: Iterable<number>): number {
	let n = 0;
	for (const v of all)
		n += v;
	return n;
}

/** Of 0 … n - 1 the first that is so, where all behind it are so, too; n: none is. */
export function firstWhere(n: number, is: (i: number) => boolean): number {
	let lo = 0, hi = n;
	while (lo < hi) {
		const mid = (lo + hi) >> 1;
		if (is(mid))
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

export function sleep(ms: number): Promise<void> {
	return new Promise((go) => setTimeout(go, ms));
}
