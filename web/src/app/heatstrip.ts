// SPDX-License-Identifier: Apache-2.0
// A heat map of delays: a column for each second (by the event's own time, as the tracer counted it), a row for each half
// octave, logarithmic. Colours by rank: the share of the cells that are not fuller.
import { Bucket } from "./api.js";
import { amount, number } from "../amount.js";
import { prepare } from "../canvas.js";
import { make, named, on } from "../dom.js";
import { gradient } from "../heat.js";
import { upper } from "../heatmodel.js";
import { clamp, sum } from "../short.js";
import { cssColour, isDark, onTheme } from "../theme.js";

export const COLUMNS = 120; // seconds
const LOW = 9, HIGH = 35; // octaves: 512 ns … 34 s
const ROWS = (HIGH - LOW) * 2;

function clampRow(row: number): number {
	return clamp(row, 0, ROWS - 1);
}

export function rowOf(ns: number): number {
	return clampRow(Math.floor((Math.log2(Math.max(ns, 1)) - LOW) * 2));
}

/** Bounds of a row in ns. */
export function rowRange(row: number): [number, number] {
	return [row === 0 ? 0 : 2 ** (LOW + row / 2), row === ROWS - 1 ? Infinity : 2 ** (LOW + (row + 1) / 2)];
}

/** Delays by second. */
export class HeatData {
	readonly cells = new Map<number, Float64Array>(); // by second
	last = 0;

	add(second: number, buckets: Bucket[]): void {
		let column = this.cells.get(second);
		if (!column)
			this.cells.set(second, column = new Float64Array(ROWS));
		for (const b of buckets)
			column[rowOf(((b.from ?? 0) + (b.to ?? b.from ?? 0)) / 2)]! += b.count;
		this.last = Math.max(this.last, second);
		for (const s of this.cells.keys())
			if (s <= this.last - 2 * COLUMNS)
				this.cells.delete(s);
	}

	/** Sum of the seconds from … to, row by row. */
	sum(from: number, to: number): Float64Array {
		const all = new Float64Array(ROWS);
		for (const [s, column] of this.cells)
			if (s >= from && s <= to)
				column.forEach((n, r) => { all[r]! += n; });
		return all;
	}

	/** The delay that a share of all events of these seconds does not exceed: the upper bound of its row; 0 without events. */
	quantile(from: number, to: number, share: number): number {
		const rows = this.sum(from, to), total = sum(rows);
		let left = share * total;
		if (!total)
			return 0;
		for (let r = 0; r < ROWS; r++) {
			left -= rows[r]!;
			if (left <= 1e-9)
				return Math.sqrt(Math.max(rowRange(r)[0], 2 ** (LOW - 1)) * Math.min(rowRange(r)[1], 2 ** HIGH));
		}
		return 2 ** HIGH;
	}
}

export interface Range {
	from: number; // seconds
	to: number;
	low: number; // rows
	high: number;
}

export class HeatStrip {
	readonly element = make("div");
	readonly canvas = make("canvas");
	private readonly ctx = this.canvas.getContext("2d")!;
	private colours: string[] = [];
	private drag: { second: number, row: number } | null = null;
	range: Range | null = null;
	/** The newest second that is shown; the same for all strips of a page. */
	now = 0;
	/** What the numbers are from. */
	where = "";
	/** Why a second was not measured; "": it was. */
	gap: (second: number) => string = () => "";
	onRange: (r: Range | null) => void = () => {};

	constructor(readonly data: HeatData, name: string, private readonly height = 78) {
		named(this.canvas, "img", "Heat map of delays: " + name);
		this.element.style.height = height + "px";
		this.element.append(this.canvas);
		onTheme(() => { this.colours = []; this.draw(); });
		new ResizeObserver(() => this.draw()).observe(this.element);
		on(this.canvas, "pointerdown", (e) => {
			this.drag = this.at(e);
			this.canvas.setPointerCapture(e.pointerId);
			this.select(e);
		});
		on(this.canvas, "pointermove", (e) => this.drag ? this.select(e) : this.tell(e));
		on(this.canvas, "pointerup", () => {
			if (this.drag)
				this.onRange(this.range);
			this.drag = null;
		});
		on(this.canvas, "keydown", (e) => this.key(e));
	}

	clear(): void {
		this.range = null;
		this.draw();
	}

	private get first(): number { return this.now - COLUMNS + 1; }

	/** The nearest one that is shown. */
	private second(s: number): number {
		return clamp(s, this.first, this.now);
	}

	private at(e: PointerEvent): { second: number, row: number } {
		const w = this.canvas.clientWidth;
		return { second: this.second(this.first + Math.floor(e.offsetX / w * COLUMNS)), row: clampRow(ROWS - 1 - Math.floor(e.offsetY / this.height * ROWS)) };
	}

	/** Arrow keys move the range, with Shift they make it larger; Enter looks at it. */
	private key(e: KeyboardEvent): void {
		const moves: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }, move = moves[e.key], r = this.range;
		if (e.key === "Escape" && r) {
			this.clear();
			this.onRange(null);
		} else if (e.key === "Enter" && r) {
			this.onRange(r);
		} else if (move && !r) {
			this.range = { from: this.now - 1, to: this.now - 1, low: 0, high: ROWS - 1 };
			this.draw();
		} else if (move && r) {
			const [x, y] = move, grow = e.shiftKey;
			this.range = { from: this.second(r.from + (grow && x > 0 ? 0 : x)), to: this.second(r.to + (grow && x < 0 ? 0 : x)),
				low: clampRow(r.low + (grow && y > 0 ? 0 : y)), high: clampRow(r.high + (grow && y < 0 ? 0 : y)) };
			this.draw();
		} else {
			return;
		}
		e.preventDefault();
	}

	/** What is under the pointer. */
	private tell(e: PointerEvent): void {
		const { second, row } = this.at(e), n = this.data.cells.get(second)?.[row] ?? 0, [low, high] = rowRange(row), gap = this.gap(second);
		this.canvas.title = gap ? `${this.now - second} s ago, not measured: ${gap}` : `${number(n)} delays of ${amount(low, "ns")} ${Number.isFinite(high) ? "to " + amount(high, "ns") : "and more"}, ${this.now - second} s ago: ` +
			`from ${this.where}, second ${second} since the machine started`;
	}

	private select(e: PointerEvent): void {
		const a = this.drag!, b = this.at(e);
		this.range = { from: Math.min(a.second, b.second), to: Math.max(a.second, b.second), low: Math.min(a.row, b.row), high: Math.max(a.row, b.row) };
		this.draw();
	}

	draw(): void {
		const w = this.element.clientWidth, h = this.height, c = this.ctx;
		if (!prepare(this.canvas, c, w, h))
			return;
		c.fillStyle = cssColour("--panel");
		c.fillRect(0, 0, w, h);
		if (!this.colours.length) {
			const g = gradient(isDark());
			this.colours = Array.from({ length: 256 }, (_, i) => `rgb(${g.subarray(3 * i, 3 * i + 3).join(" ")})`);
		}
		const first = this.first, shown: { x: number, r: number, n: number }[] = [], gaps: number[] = [];
		for (let s = first; s <= this.now; s++) {
			this.data.cells.get(s)?.forEach((n, r) => n > 0 && shown.push({ x: s - first, r, n }));
			if (this.gap(s))
				gaps.push(s - first);
		}
		this.hatch(gaps, w / COLUMNS, h);
		const sorted = shown.map((v) => v.n).sort((a, b) => a - b);
		for (const v of shown) {
			c.fillStyle = this.colours[Math.round(upper(sorted, v.n) / sorted.length * 255)]!;
			c.fillRect(v.x * w / COLUMNS, (ROWS - 1 - v.r) * h / ROWS, w / COLUMNS + 0.3, h / ROWS + 0.3);
		}
		this.axis(w, h);
		if (this.range) {
			const { from, to, low, high } = this.range;
			c.strokeStyle = cssColour("--accent");
			c.lineWidth = 1.5;
			c.strokeRect((from - first) * w / COLUMNS, (ROWS - 1 - high) * h / ROWS, (to - from + 1) * w / COLUMNS, (high - low + 1) * h / ROWS);
		}
	}

	/** What was not measured is not empty. */
	private hatch(columns: number[], width: number, h: number): void {
		const c = this.ctx, apart = 6;
		c.save();
		c.beginPath();
		for (const x of columns)
			c.rect(x * width, 0, width + 0.3, h);
		c.clip();
		c.strokeStyle = cssColour("--line");
		c.beginPath();
		for (let x = -h; x < COLUMNS * width; x += apart) {
			c.moveTo(x, h);
			c.lineTo(x + h, 0);
		}
		c.stroke();
		c.restore();
	}

	private axis(w: number, h: number): void {
		const c = this.ctx;
		c.font = "10px system-ui, sans-serif";
		c.textBaseline = "middle";
		for (const [ns, text] of [[1e3, "1 µs"], [1e6, "1 ms"], [1e9, "1 s"]] as const) {
			const y = h - (Math.log2(ns) - LOW) * 2 * h / ROWS;
			c.fillStyle = cssColour("--line");
			c.globalAlpha = 0.7;
			c.fillRect(0, y, w, 1);
			c.globalAlpha = 1;
			c.fillStyle = cssColour("--muted");
			c.fillText(text, 3, y - 6);
		}
	}
}
