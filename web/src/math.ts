// SPDX-License-Identifier: Apache-2.0
// Small functions over numbers that several pages share.

/** The number nearest to `value` between `low` and `high`. */
export function clamp(value: number, low: number, high: number): number {
	return Math.max(low, Math.min(high, value));
}

export function sum(values: Iterable<number>): number {
	let total = 0;
	for (const value of values) total += value;
	return total;
}

/**
 * The first index of 0 … count - 1 for which `holds` is true; count when there is none. `holds` must stay true for all
 * later indices, since the search halves the range.
 */
export function firstWhere(count: number, holds: (index: number) => boolean): number {
	let low = 0,
		high = count;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (holds(middle)) high = middle;
		else low = middle + 1;
	}
	return low;
}

export function sleep(milliseconds: number): Promise<void> {
	return new Promise((resolve) => {
		setTimeout(resolve, milliseconds);
	});
}
