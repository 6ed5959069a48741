// SPDX-License-Identifier: Apache-2.0
// The data of a heat map: one sparse plane for each key, counts of cells, and how counts become levels of colour.
import { Reader } from "./bytes.js";
import { firstWhere, sum } from "./math.js";

/** What the server or the file says beside the cells; src/view/picture/heat_html.c writes it. */
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
	late: boolean; // values were put into columns by the time at which they were read
	counted?: string; // the unit of cells; "": events, "ns": time
	notes?: [number, string, number][]; // first column, text, columns: dwell did not run, or without some of its probes
	chosen?: number[]; // keys that are selected at first
}

/** Counts of the cells of one key. */
export interface Plane {
	key: string;
	total: number;
	index: Uint32Array; // column * rows + row, ascending
	count: Float64Array;
}

export interface Cell {
	column: number;
	row: number;
}

/** Cells from … to, both included. */
export interface CellRange {
	from: Cell;
	to: Cell;
}

export type Selecting = "highlight" | "isolate" | "exclude";
export type Scale = "rank" | "log" | "linear";

export function decodeHeat(bytes: Uint8Array, head: HeatHead): Plane[] {
	const reader = new Reader(bytes),
		cells = head.columns * head.rows;
	return head.keys.map((key) => {
		const length = reader.number(),
			index = new Uint32Array(length),
			count = new Float64Array(length);
		let at = 0,
			total = 0;
		for (let i = 0; i < length; i++) {
			at += reader.number();
			index[i] = Math.min(at, cells - 1);
			total += count[i] = reader.number();
		}
		return { key, total, index, count };
	});
}

/** A count for each cell. Whole numbers of 32 bits need half the memory, and can be indices of tables as they are. */
export type Counts = Uint32Array | Float64Array;

/** Adds a plane's counts, or takes them away again. */
export function addPlane(counts: Counts, { index, count }: Plane, sign: 1 | -1): void {
	for (let i = 0; i < index.length; i++) counts[index[i]!]! += sign * count[i]!;
}

/** Counts of each cell, of all planes. */
export function addPlanes(planes: readonly Plane[], cells: number): Counts {
	const small = sum(planes.map((plane) => plane.total)) < 2 ** 32,
		counts = small ? new Uint32Array(cells) : new Float64Array(cells);
	for (const plane of planes) addPlane(counts, plane, 1);
	return counts;
}

const DENSE = 1 << 20; // the largest count that is looked up in a table

/** How many cells have each count (0 is not counted); null when a count is above DENSE. */
export function histogram(counts: Counts): Uint32Array | null {
	let most = 0;
	for (let i = 0; i < counts.length; i++) if (counts[i]! > most) most = counts[i]!;
	if (most > DENSE) return null;
	const cells = new Uint32Array(most + 1);
	// Most cells have nothing. To add all of them up in one place would stall the processor.
	for (let i = 0; i < counts.length; i++) if (counts[i]) cells[counts[i]!]!++;
	return cells;
}

/** The level (0 … 1) of each count, of cells whose histogram this is. */
export function levelTable(cellsByCount: Uint32Array, scale: Scale): Float32Array {
	const levels = new Float32Array(cellsByCount.length),
		most = cellsByCount.length - 1;
	let cells = 0;
	for (let count = 1; count <= most; count++) cells += cellsByCount[count]!;
	for (let count = 1, below = 0; count <= most; count++) {
		below += cellsByCount[count]!;
		levels[count] = scale === "rank" ? below / cells : scaleCount(count, most, scale);
	}
	return levels;
}

function scaleCount(count: number, most: number, scale: Scale): number {
	return scale === "log" ? Math.log1p(count) / Math.log1p(most) : count / most;
}

/** The level (0 … 1) of each cell, for counts that are too large for a table; empty cells stay 0. */
export function levelCells(counts: Counts, scale: Scale): Float32Array {
	const levels = new Float32Array(counts.length),
		sorted = counts.filter((count) => count > 0).sort(),
		most = sorted.at(-1) ?? 1;
	for (let i = 0; i < counts.length; i++) {
		const count = counts[i]!;
		if (count > 0)
			levels[i] = scale === "rank" ? countUpTo(sorted, count) / sorted.length : scaleCount(count, most, scale);
	}
	return levels;
}

/** How many of the sorted numbers are not larger. */
export function countUpTo(sorted: ArrayLike<number>, value: number): number {
	return firstWhere(sorted.length, (index) => sorted[index]! > value);
}

/**
 * Columns of rows from below become lines of columns from above, as pictures have them. Goes through a few columns at a
 * time: the other way round each pixel would be a cache miss.
 */
export function transpose(from: Uint32Array, columns: number, rows: number, to: Uint32Array): void {
	const block = 16;
	for (let first = 0; first < columns; first += block) {
		const end = Math.min(first + block, columns);
		for (let row = 0; row < rows; row++) {
			let at = (rows - 1 - row) * columns + first,
				cell = first * rows + row;
			for (let column = first; column < end; column++, cell += rows) to[at++] = from[cell]!;
		}
	}
}
