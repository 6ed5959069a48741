// SPDX-License-Identifier: Apache-2.0
// How the distributions of an aggregation came to be: what each snapshot has more than the one before, by second and key; and that as the cells
// of a heat map.
import { AggRow, Bucket } from "./api.js";
import { addPlanes, HeatHead, Plane, upper } from "../heatmodel.js";
import { clamp, sum } from "../short.js";

const SECONDS = 600; // kept
const COLUMNS = 60; // at least, so that the axis stands still at first
const KEYS = 24, ROWS_MAX = 64, SECOND = 1e9;
export const OTHER = "other keys";

type Counts = Map<string, { low: number, high: number, count: number }>; // by the bucket's lower bound

/** Bounds of a bucket; what has none ends where the next of its kind would. */
function bounds(b: Bucket): [number, number] {
	const low = b.from ?? (b.to === null ? 0 : b.to > 0 ? 0 : 2 * b.to - 1);
	return [low, b.to ?? (low > 0 ? 2 * low : low + 1)];
}

export class History {
	private readonly columns = new Map<number, Map<string, Counts>>(); // by second
	private before = new Map<string, Counts>();
	private readonly keys: string[] = []; // in the order in which they came
	private first = Infinity;
	private last = -Infinity;

	/** The aggregation is empty from here on. */
	clear(): void {
		this.before = new Map();
	}

	/** What the aggregation is at `time` (ns). Whatever has become less has been cleared before. */
	take(time: number, rows: AggRow[], value: number, keyText: (r: AggRow) => string): void {
		const now = new Map<string, Counts>(), second = Math.floor(time / SECOND);
		const total = (r: AggRow) => sum((r.values[value] as Bucket[]).map((b) => b.count));
		for (const r of rows.filter((row) => Array.isArray(row.values[value])).sort((a, b) => total(b) - total(a))) { // the largest have places of their own
			const v = r.values[value] as Bucket[];
			const key = this.key(keyText(r)), mine: Counts = now.get(key) ?? new Map();
			for (const b of v) {
				const [low, high] = bounds(b), id = String(low), count = (mine.get(id)?.count ?? 0) + b.count;
				if (b.count)
					mine.set(id, { low, high, count });
			}
			now.set(key, mine);
		}
		for (const [key, mine] of now)
			this.add(second, key, mine, this.before.get(key));
		this.before = now;
		this.first = Math.min(this.first, second);
		this.last = Math.max(this.last, second);
		for (const s of this.columns.keys())
			if (s <= this.last - SECONDS)
				this.columns.delete(s);
		this.first = Math.max(this.first, this.last - SECONDS + 1);
	}

	private key(text: string): string {
		if (this.keys.includes(text))
			return text;
		if (this.keys.length >= KEYS)
			return OTHER;
		this.keys.push(text);
		return text;
	}

	private add(second: number, key: string, mine: Counts, before: Counts | undefined): void {
		const less = before && [...before].some(([id, b]) => (mine.get(id)?.count ?? 0) < b.count);
		for (const [id, b] of mine) {
			const more = b.count - (less ? 0 : before?.get(id)?.count ?? 0);
			if (more <= 0)
				continue;
			const column = this.columns.get(second) ?? new Map<string, Counts>(), cells: Counts = column.get(key) ?? new Map();
			cells.set(id, { ...b, count: (cells.get(id)?.count ?? 0) + more });
			column.set(key, cells);
			this.columns.set(second, column);
		}
	}

	/** Bounds of the rows: those of the buckets, or each second, fourth … of them where they are many. */
	private edges(): number[] {
		const all = new Set<number>();
		for (const column of this.columns.values())
			for (const cells of column.values())
				for (const b of cells.values())
					all.add(b.low).add(b.high);
		const sorted = [...all].sort((a, b) => a - b), step = Math.ceil((sorted.length - 1) / ROWS_MAX);
		return step > 1 ? sorted.filter((_, i) => i % step === 0 || i === sorted.length - 1) : sorted;
	}

	/** Cells; null: there are none. offset: from the tracer's clock to ms since 1970. */
	heat(title: string, unit: string, offset: number): { head: HeatHead, planes: Plane[] } | null {
		const edges = this.edges(), rows = edges.length - 1, columns = Math.max(COLUMNS, this.last - this.first + 1), none = () => new Array<null>(columns).fill(null);
		if (rows < 1)
			return null;
		const planes = [...this.keys, OTHER].map((key) => this.plane(key, edges)).filter((p) => p.total > 0);
		const head: HeatHead = { title, unit, columns, rows, begin: this.first * 1000 + offset, step: 1000, total: sum(planes.map((p) => p.total)), edges,
			keys: planes.map((p) => p.key), avg: none(), p50: none(), p90: none(), p99: none(), lost: new Array<number>(columns).fill(0), late: true };
		this.percentiles(head, planes);
		return { head, planes };
	}

	private plane(key: string, edges: number[]): Plane {
		const cells = new Map<number, number>(), rows = edges.length - 1;
		for (const [second, column] of this.columns)
			for (const b of column.get(key)?.values() ?? []) {
				const at = (second - this.first) * rows + rowOf(edges, (b.low + b.high) / 2);
				cells.set(at, (cells.get(at) ?? 0) + b.count);
			}
		const index = Uint32Array.from(cells.keys()).sort(), count = Float64Array.from(index, (i) => cells.get(i)!);
		return { key, index, count, total: sum(count) };
	}

	/** The middle of the row in which the median, or 99 %, of a column are. */
	private percentiles(h: HeatHead, planes: Plane[]): void {
		const all = addPlanes(planes, h.columns * h.rows);
		for (let c = 0; c < h.columns; c++) {
			const column = all.subarray(c * h.rows, (c + 1) * h.rows), total = sum(column);
			for (const [line, share] of [[h.p50, 0.5], [h.p90, 0.9], [h.p99, 0.99]] as const) {
				let left = share * total, r = 0;
				while (total && r < h.rows - 1 && (left -= column[r]!) > 0)
					r++;
				line[c] = total ? (h.edges[r]! + h.edges[r + 1]!) / 2 : null;
			}
		}
	}
}

/** The row that v is in; the first or the last if it is beside all. */
function rowOf(edges: number[], v: number): number {
	return clamp(upper(edges, v) - 1, 0, edges.length - 2);
}
