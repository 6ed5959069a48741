// SPDX-License-Identifier: Apache-2.0
// Events of a range by key and second, which is what comparisons of shares need. Knows no page.
import { SlowRow } from "./api.js";
import { Selection } from "./selection.js";
import { Counts } from "./shares.js";
import { reason } from "./slow.js";
import { HeatHead, Plane } from "../heatmodel.js";
import { clamp } from "../math.js";

const SECOND = 1e9;

export function secondsOf(range: { from: number; to: number }): number {
	return Math.max(1, Math.round((range.to - range.from) / SECOND));
}

/** Counts of a heat map's cells. Of a cell that the range has a part of, that part. first: the second of column 0. */
export function countsOfCells(
	head: HeatHead,
	planes: readonly Plane[],
	range: { low: number; high: number },
	seconds: number,
	first: number,
): Counts {
	const parts = Float64Array.from({ length: head.rows }, (_, row) => {
			const low = head.edges[row]!,
				high = head.edges[row + 1]!;
			return Math.max(0, Math.min(high, range.high) - Math.max(low, range.low)) / (high - low);
		}),
		all = new Float64Array(seconds),
		byKey = new Map<string, Float64Array>();
	for (const { key, index, count } of planes) {
		const bySecond = new Float64Array(seconds);
		for (let i = 0; i < index.length; i++) {
			const second = Math.floor(index[i]! / head.rows) + first;
			if (second < 0 || second >= seconds) continue;
			const part = count[i]! * parts[index[i]! % head.rows]!;
			bySecond[second]! += part;
			all[second]! += part;
		}
		byKey.set(key || "all", bySecond);
	}
	return { byKey, all };
}

/** Counts of slow events by their causes. */
export function countsOfCauses(rows: readonly SlowRow[], range: Selection): Counts {
	const seconds = secondsOf(range),
		all = new Float64Array(seconds),
		byKey = new Map<string, Float64Array>();
	for (const row of rows) {
		const second = clamp(Math.floor((row.ended - range.from) / SECOND), 0, seconds - 1),
			key = reason(row.tracker, row.attributes, true) || "unknown",
			bySecond = byKey.get(key) ?? new Float64Array(seconds);
		byKey.set(key, bySecond);
		bySecond[second]!++;
		all[second]!++;
	}
	return { byKey, all };
}
