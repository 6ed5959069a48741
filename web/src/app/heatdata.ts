// SPDX-License-Identifier: Apache-2.0
// Delays of the live view: a column for each second (of the event, as the tracer counted it), a row for each half
// octave. Knows no page.
import { Bucket } from "./api.js";
import { clamp, sum } from "../math.js";

export const COLUMNS = 120; // seconds that are shown
export const LOW_OCTAVE = 9, // 512 ns
	HIGH_OCTAVE = 35; // 34 s
const PER_OCTAVE = 2;
export const ROWS = (HIGH_OCTAVE - LOW_OCTAVE) * PER_OCTAVE;
const KEPT = 2 * COLUMNS;

/** Seconds and rows, both ends included. */
export interface Range {
	from: number;
	to: number;
	low: number;
	high: number;
}

export function clampRow(row: number): number {
	return clamp(row, 0, ROWS - 1);
}

/** The height of a delay, in rows. */
export function rowHeight(ns: number): number {
	return (Math.log2(Math.max(ns, 1)) - LOW_OCTAVE) * PER_OCTAVE;
}

export function rowOf(ns: number): number {
	return clampRow(Math.floor(rowHeight(ns)));
}

/** Bounds of a row in ns. The first row begins at 0, the last one has no end. */
export function rowRange(row: number): [number, number] {
	const bound = (at: number) => 2 ** (LOW_OCTAVE + at / PER_OCTAVE);
	return [row === 0 ? 0 : bound(row), row === ROWS - 1 ? Infinity : bound(row + 1)];
}

export class HeatData {
	readonly cells = new Map<number, Float64Array>(); // by second
	private last = 0;

	add(second: number, buckets: readonly Bucket[]): void {
		const column = this.cells.get(second) ?? new Float64Array(ROWS);
		this.cells.set(second, column);
		for (const { from, to, count } of buckets) column[rowOf(((from ?? 0) + (to ?? from ?? 0)) / 2)]! += count;
		this.last = Math.max(this.last, second);
		for (const old of this.cells.keys()) if (old <= this.last - KEPT) this.cells.delete(old);
	}

	/** The counts of the seconds from … to, row by row. */
	sum(from: number, to: number): Float64Array {
		const counts = new Float64Array(ROWS);
		for (const [second, column] of this.cells)
			if (second >= from && second <= to)
				column.forEach((count, row) => {
					counts[row]! += count;
				});
		return counts;
	}

	/** The delay that a share of all events of these seconds does not exceed: the middle of its row; 0: no events. */
	quantile(from: number, to: number, share: number): number {
		const counts = this.sum(from, to),
			total = sum(counts);
		let left = share * total;
		if (!total) return 0;
		const row = counts.findIndex((count) => (left -= count) <= 1e-9);
		if (row < 0) return 2 ** HIGH_OCTAVE;
		const [low, high] = rowRange(row);
		return Math.sqrt(Math.max(low, 2 ** (LOW_OCTAVE - 1)) * Math.min(high, 2 ** HIGH_OCTAVE));
	}
}
