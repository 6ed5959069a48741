// SPDX-License-Identifier: Apache-2.0
// Cells of a heat map: one sparse plane per key, and what is shown of them.
import { Reader } from "./bytes.js";
import { firstWhere, sum } from "./short.js";

/** See src/view/picture/heat_html.c. */
export interface HeatHead {
	title: string;
	unit: string;
	columns: number;
	rows: number;
	begin: number; // ms since 1970
	step: number; // ms
	total: number;
	edges: number[];
	keys: string[];
	avg: (number | null)[];
	p50: (number | null)[];
	p90: (number | null)[];
	p99: (number | null)[];
	lost: number[];
	late: boolean; // values were put into columns by when they were read
	counted?: string; // what cells have: "": events, "ns": time
	notes?: [number, string, number][]; // from which column on dwell did not run, or without some of its probes; why; for how many
	chosen?: number[]; // keys that are to be in their colours
}

export interface Plane {
	key: string;
	total: number;
	index: Uint32Array; // column * rows + row, ascending
	count: Float64Array;
}

export type Selecting = "highlight" | "isolate" | "exclude";
export type Scale = "rank" | "log" | "linear";

export function decodeHeat(bytes: Uint8Array, head: HeatHead): Plane[] {
	const r = new Reader(bytes), cells = head.columns * head.rows;
	return head.keys.map((key) => {
		const n = r.number(), index = new Uint32Array(n), count = new Float64Array(n);
		let at = 0, total = 0;
		for (let i = 0; i < n; i++) {
			at += r.number();
			index[i] = Math.min(at, cells - 1);
			total += count[i] = r.number();
		}
		return { key, total, index, count };
	});
}

/** Of each cell. Whole numbers of 32 bits are half the memory to go through, and places in tables as they are. */
export type Counts = Uint32Array | Float64Array;

/** Adds a plane's counts, or takes them away again. */
export function addPlane(sum: Counts, { index, count }: Plane, sign: 1 | -1): void {
	for (let i = 0; i < index.length; i++)
		sum[index[i]!]! += sign * count[i]!;
}

/** Counts of each cell, of all planes. */
export function addPlanes(planes: Plane[], cells: number): Counts {
	const all = sum(planes.map((p) => p.total)) < 2 ** 32 ? new Uint32Array(cells) : new Float64Array(cells);
	planes.forEach((p) => addPlane(all, p, 1));
	return all;
}

const DENSE = 1 << 20; // counts up to this are looked up in a table

/** How many cells have each count (0: not counted), when none is above DENSE; else null. */
export function histogram(v: Counts): Uint32Array | null {
	let max = 0;
	for (let i = 0; i < v.length; i++)
		if (v[i]! > max)
			max = v[i]!;
	if (max > DENSE)
		return null;
	const have = new Uint32Array(max + 1);
	for (let i = 0; i < v.length; i++)
		if (v[i]) // most cells have nothing: adding all of them up in one place would wait for itself
			have[v[i]!]!++;
	return have;
}

/** 0 … 1 by count, of cells whose histogram this is. */
export function table(have: Uint32Array, scale: Scale): Float32Array {
	const out = new Float32Array(have.length), max = have.length - 1;
	let n = 0;
	for (let i = 1; i <= max; i++)
		n += have[i]!;
	for (let i = 1, sum = 0; i <= max; i++) {
		sum += have[i]!;
		out[i] = scale === "rank" ? sum / n : scale === "log" ? Math.log1p(i) / Math.log1p(max) : i / max;
	}
	return out;
}

/** Columns of rows from below become lines of columns from above, as pictures have them. A few columns at a time: the other way
 * round each pixel would be a cache miss. */
export function turn(from: Uint32Array, columns: number, rows: number, to: Uint32Array): void {
	const block = 16;
	for (let first = 0; first < columns; first += block) {
		const end = Math.min(first + block, columns);
		for (let row = 0; row < rows; row++)
			for (let col = first, at = (rows - 1 - row) * columns + first, i = first * rows + row; col < end; col++, i += rows)
				to[at++] = from[i]!;
	}
}

/** 0 … 1 of each cell, of counts that are too large for a table; cells of 0 stay 0. Rank: the share of all cells with something that have no more. */
export function normalise(v: Counts, scale: Scale): Float32Array {
	const out = new Float32Array(v.length);
	const sorted = v.filter((x) => x > 0).sort(), max = sorted[sorted.length - 1] ?? 1;
	for (let i = 0; i < v.length; i++)
		if (v[i]! > 0)
			out[i] = scale === "rank" ? upper(sorted, v[i]!) / sorted.length : scale === "log" ? Math.log1p(v[i]!) / Math.log1p(max) : v[i]! / max;
	return out;
}

/** How many of them are not larger. */
export function upper(sorted: ArrayLike<number>, x: number): number {
	return firstWhere(sorted.length, (i) => sorted[i]! > x);
}
