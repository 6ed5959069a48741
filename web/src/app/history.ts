// SPDX-License-Identifier: Apache-2.0
// How the distributions of an aggregation came to be: what each snapshot has more than the one before, by second and
// key; and that as the cells of a heat map.
import { AggRow, Bucket } from "./api.js";
import { addPlanes, HeatHead, Plane, countUpTo } from "../heatmodel.js";
import { clamp, sum } from "../math.js";

const SECONDS = 600; // kept
const COLUMNS = 60; // at least, so that the axis stands still at first
const KEYS = 24,
	ROWS_MAX = 64,
	SECOND = 1e9;
export const OTHER = "other keys";

type Counts = Map<string, { low: number; high: number; count: number }>; // by the bucket's lower bound

/** Bounds of a bucket; what has none ends where the next of its kind would. */
function bounds(bucket: Bucket): [number, number] {
	const low = bucket.from ?? (bucket.to === null ? 0 : bucket.to > 0 ? 0 : 2 * bucket.to - 1);
	return [low, bucket.to ?? (low > 0 ? 2 * low : low + 1)];
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
	take(time: number, rows: AggRow[], value: number, keyText: (aggRow: AggRow) => string): void {
		const now = new Map<string, Counts>(),
			second = Math.floor(time / SECOND);
		const total = (row: AggRow) => sum((row.values[value] as Bucket[]).map((bucket) => bucket.count));
		for (const found of rows
			.filter((row) => Array.isArray(row.values[value]))
			.sort((a, b) => total(b) - total(a))) {
			// the largest have places of their own
			const buckets = found.values[value] as Bucket[];
			const key = this.key(keyText(found)),
				mine: Counts = now.get(key) ?? new Map();
			for (const bucket of buckets) {
				const [low, high] = bounds(bucket),
					id = String(low),
					count = (mine.get(id)?.count ?? 0) + bucket.count;
				if (bucket.count) mine.set(id, { low, high, count });
			}
			now.set(key, mine);
		}
		for (const [key, mine] of now) this.add(second, key, mine, this.before.get(key));
		this.before = now;
		this.first = Math.min(this.first, second);
		this.last = Math.max(this.last, second);
		for (const old of this.columns.keys()) if (old <= this.last - SECONDS) this.columns.delete(old);
		this.first = Math.max(this.first, this.last - SECONDS + 1);
	}

	private key(text: string): string {
		if (this.keys.includes(text)) return text;
		if (this.keys.length >= KEYS) return OTHER;
		this.keys.push(text);
		return text;
	}

	private add(second: number, key: string, mine: Counts, before: Counts | undefined): void {
		const less = before && [...before].some(([id, bucket]) => (mine.get(id)?.count ?? 0) < bucket.count);
		for (const [id, bucket] of mine) {
			const more = bucket.count - (less ? 0 : (before?.get(id)?.count ?? 0));
			if (more <= 0) continue;
			const column = this.columns.get(second) ?? new Map<string, Counts>(),
				cells: Counts = column.get(key) ?? new Map();
			cells.set(id, { ...bucket, count: (cells.get(id)?.count ?? 0) + more });
			column.set(key, cells);
			this.columns.set(second, column);
		}
	}

	/** Bounds of the rows: those of the buckets, or each second, fourth … of them where they are many. */
	private edges(): number[] {
		const all = new Set<number>();
		for (const column of this.columns.values())
			for (const cells of column.values())
				for (const bucket of cells.values()) all.add(bucket.low).add(bucket.high);
		const sorted = [...all].sort((a, b) => a - b),
			step = Math.ceil((sorted.length - 1) / ROWS_MAX);
		return step > 1 ? sorted.filter((_, i) => i % step === 0 || i === sorted.length - 1) : sorted;
	}

	/** Cells; null: there are none. offset: from the tracer's clock to ms since 1970. */
	heat(title: string, unit: string, offset: number): { head: HeatHead; planes: Plane[] } | null {
		const edges = this.edges(),
			rows = edges.length - 1,
			columns = Math.max(COLUMNS, this.last - this.first + 1),
			none = () => Array.from({ length: columns }, () => null);
		if (rows < 1) return null;
		const planes = [...this.keys, OTHER].map((key) => this.plane(key, edges)).filter((plane) => plane.total > 0);
		const head: HeatHead = {
			title,
			unit,
			columns,
			rows,
			begin: this.first * 1000 + offset,
			step: 1000,
			total: sum(planes.map((plane) => plane.total)),
			edges,
			keys: planes.map((plane) => plane.key),
			avg: none(),
			p50: none(),
			p90: none(),
			p99: none(),
			lost: Array.from({ length: columns }, () => 0),
			late: true,
		};
		this.percentiles(head, planes);
		return { head, planes };
	}

	private plane(key: string, edges: number[]): Plane {
		const cells = new Map<number, number>(),
			rows = edges.length - 1;
		for (const [second, column] of this.columns)
			for (const bucket of column.get(key)?.values() ?? []) {
				const at = (second - this.first) * rows + rowOf(edges, (bucket.low + bucket.high) / 2);
				cells.set(at, (cells.get(at) ?? 0) + bucket.count);
			}
		const index = Uint32Array.from(cells.keys()).sort(),
			count = Float64Array.from(index, (i) => cells.get(i)!);
		return { key, index, count, total: sum(count) };
	}

	/** The middle of the row in which the median, or 99 %, of a column are. */
	private percentiles(head: HeatHead, planes: Plane[]): void {
		const all = addPlanes(planes, head.columns * head.rows);
		for (let at = 0; at < head.columns; at++) {
			const column = all.subarray(at * head.rows, (at + 1) * head.rows),
				total = sum(column);
			for (const [line, share] of [
				[head.p50, 0.5],
				[head.p90, 0.9],
				[head.p99, 0.99],
			] as const) {
				let left = share * total,
					row = 0;
				while (total && row < head.rows - 1 && (left -= column[row]!) > 0) row++;
				line[at] = total ? (head.edges[row]! + head.edges[row + 1]!) / 2 : null;
			}
		}
	}
}

/** The row that v is in; the first or the last if it is beside all. */
function rowOf(edges: number[], value: number): number {
	return clamp(countUpTo(edges, value) - 1, 0, edges.length - 2);
}
