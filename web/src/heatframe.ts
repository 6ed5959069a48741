// SPDX-License-Identifier: Apache-2.0
// Where the cells, values and times of a heat map are on a canvas. Knows no canvas.
import { tick, timeTick } from "./ticks.js";
import { Cell, HeatHead } from "./heatmodel.js";
import { clamp } from "./math.js";

const RIGHT = 10,
	BOTTOM = 30,
	TICK_HEIGHT = 26, // px between two ticks of values
	VALUE_TICKS = 8; // at most, on an axis with even steps
export const LEFT = 76,
	TOP = 8;

/** A tick of the axis of values. */
export interface ValueTick {
	value: number;
	y: number;
}

export class HeatFrame {
	/** Columns that are shown: from … to - 1. */
	from = 0;
	to: number;
	/** Of the cells, in px. */
	width = 1;
	height = 1;

	constructor(public head: HeatHead) {
		this.to = head.columns;
	}

	/** The canvas has another size, in px. */
	resize(width: number, height: number): void {
		this.width = Math.max(1, width - LEFT - RIGHT);
		this.height = Math.max(1, height - TOP - BOTTOM);
	}

	/** Newer data of the same map. A map that shows all columns goes on showing all. */
	update(head: HeatHead): void {
		const all = this.from === 0 && this.to === this.head.columns;
		this.head = head;
		this.to = all ? head.columns : Math.min(this.to, head.columns);
	}

	zoom(from: number, to: number): void {
		this.from = clamp(from, 0, this.head.columns - 1);
		this.to = clamp(to, this.from + 1, this.head.columns);
	}

	get bottom(): number {
		return TOP + this.height;
	}

	isInside(column: number): boolean {
		return column >= this.from && column < this.to;
	}

	/** The left edge of a column. */
	x(column: number): number {
		return LEFT + ((column - this.from) / (this.to - this.from)) * this.width;
	}

	/** The lower edge of a row. */
	rowY(row: number): number {
		return this.bottom - (row / this.head.rows) * this.height;
	}

	/** The height of a value, between the edges of its row. */
	valueY(value: number): number {
		const { edges, rows } = this.head;
		let row = 0;
		while (row + 1 < rows && edges[row + 1]! <= value) row++;
		const part = clamp((value - edges[row]!) / (edges[row + 1]! - edges[row]!), 0, 1);
		return this.rowY(row + part);
	}

	columnAt(x: number): number {
		const shown = this.to - this.from;
		return this.from + clamp(Math.floor(((x - LEFT) / this.width) * shown), 0, shown - 1);
	}

	/** The cell at a point; null: the point is beside the cells. */
	cellAt(x: number, y: number): Cell | null {
		if (x < LEFT || x >= LEFT + this.width || y < TOP || y >= this.bottom) return null;
		const { rows } = this.head,
			row = Math.floor(((this.bottom - y) / this.height) * rows);
		return { column: this.columnAt(x), row: clamp(row, 0, rows - 1) };
	}

	/** The cell at a point, or the nearest one. */
	nearestCell(x: number, y: number): Cell {
		return this.cellAt(clamp(x, LEFT, LEFT + this.width - 1), clamp(y, TOP, this.bottom - 1))!;
	}

	valueTicks(): ValueTick[] {
		const { edges, rows } = this.head,
			even = edges[rows]! / rows;
		return Math.abs(edges[1]! - edges[0]! - even) < 1e-6 * edges[rows]! ? this.evenTicks() : this.edgeTicks();
	}

	private evenTicks(): ValueTick[] {
		const whole = this.head.edges[this.head.rows]!,
			wanted = clamp(Math.floor(this.height / TICK_HEIGHT), 1, VALUE_TICKS),
			step = tick(whole / wanted, this.head.unit),
			ticks: ValueTick[] = [];
		for (let value = 0; value <= whole * (1 + 1e-9); value += step)
			ticks.push({ value, y: this.bottom - (value / whole) * this.height });
		return ticks;
	}

	/** Edges of rows: powers of two, if there are enough of them. */
	private edgeTicks(): ValueTick[] {
		const { edges } = this.head,
			isPower = (value: number) => Number.isInteger(Math.log2(value)),
			powersOnly = edges.filter(isPower).length >= 3,
			ticks: ValueTick[] = [];
		let last = Infinity;
		edges.forEach((value, row) => {
			const y = this.rowY(row);
			if ((powersOnly && !isPower(value)) || last - y < TICK_HEIGHT) return;
			last = y;
			ticks.push({ value, y });
		});
		return ticks;
	}

	/** Milliseconds since 1970 of round times, and how exact their texts are to be (ms). */
	timeTicks(): { times: number[]; exact: number } {
		const { begin, step } = this.head,
			span = (this.to - this.from) * step,
			first = begin + this.from * step,
			every = timeTick(span, step, this.width),
			times: number[] = [];
		for (let time = Math.ceil(first / every) * every; time <= first + span; time += every) times.push(time);
		return { times, exact: step < 1000 ? Math.min(span, 9e3) : Math.max(span, 10e3) };
	}

	timeX(time: number): number {
		return this.x((time - this.head.begin) / this.head.step);
	}
}
