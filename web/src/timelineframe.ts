// SPDX-License-Identifier: Apache-2.0
// Holds which rows and times of a timeline are shown, what is chosen and brought out, and computes what is where. Knows
// no canvas. Heights are px below the first row, or, where so told, of the canvas, over which the axis stands.
import { clamp } from "./math.js";
import { Found, itemAt, Row } from "./timelinemodel.js";
import { Pick } from "./timelinestate.js";

export const AXIS_HEIGHT = 26,
	ROW_HEIGHT = 17;
const HEAD_HEIGHT = 20,
	BELOW = 8, // px under the last row
	RIGHT = 8, // px beside the intervals
	LABELS_MOST = 190,
	LABELS_SHARE = 0.3, // of the width, at most
	LEAST_NS = 100,
	SLACK = 2; // px beside an interval that still mean it
const HEADS: Readonly<Record<string, string>> = {
	spans: "Spans",
	requests: "Slow events",
	irqs: "Interrupts",
	cpus: "CPUs",
	threads: "Threads",
	processes: "Processes",
};

/** A row, or a heading above some. */
export interface Line {
	/** -1: a heading. */
	row: number;
	head: string;
	y: number;
	height: number;
}

export class TimelineFrame {
	rows: readonly Row[] = [];
	/** From above. */
	lines: readonly Line[] = [];
	/** Times that are shown, in ns. */
	from = 0;
	to = 1;
	picked: Pick | null = null;
	found: Found = null;
	private length = 1;
	private linesHeight = 0;
	private viewWidth = 0;
	private viewHeight = 0;

	/** Takes another timeline, all of it. */
	show(rows: readonly Row[], length: number): void {
		this.rows = rows;
		this.length = length;
		this.from = 0;
		this.to = length;
		this.picked = this.found = null;
		this.layOut(() => true);
	}

	/** The canvas has another size, in px. */
	resize(width: number, height: number): void {
		this.viewWidth = width;
		this.viewHeight = height;
	}

	/** Which rows there are, below which headings. */
	layOut(isShown: (row: number) => boolean): void {
		const lines: Line[] = [];
		let y = 0,
			group = "";
		const add = (row: number, head: string, height: number) => {
			lines.push({ row, head, y, height });
			y += height;
		};
		this.rows.forEach((row, index) => {
			if (!isShown(index)) return;
			const head = HEADS[row.group];
			if (row.group !== group && head) add(-1, head, HEAD_HEIGHT);
			group = row.group;
			add(index, "", ROW_HEIGHT);
		});
		this.lines = lines;
		this.linesHeight = y;
	}

	/** px from the upper edge of the axis to below the last row. */
	get height(): number {
		return this.linesHeight + AXIS_HEIGHT + BELOW;
	}

	get visible(): number[] {
		return this.lines.filter((line) => line.row >= 0).map((line) => line.row);
	}

	/** What is seen of the lines when scrolled so far. */
	linesInside(scroll: number): Line[] {
		const bottom = scroll + this.viewHeight - AXIS_HEIGHT;
		return this.lines.filter((line) => line.y + ROW_HEIGHT > scroll && line.y < bottom);
	}

	lineOf(row: number): Line | undefined {
		return this.lines.find((line) => line.row === row);
	}

	// -- times --

	/** The left edge of the intervals. */
	get left(): number {
		return Math.min(LABELS_MOST, Math.floor(this.viewWidth * LABELS_SHARE));
	}

	/** Of the intervals. */
	get width(): number {
		return Math.max(1, this.viewWidth - this.left - RIGHT);
	}

	get span(): number {
		return this.to - this.from;
	}

	x(ns: number): number {
		return this.left + ((ns - this.from) / this.span) * this.width;
	}

	timeAt(x: number): number {
		return this.from + ((x - this.left) / this.width) * this.span;
	}

	/** Shows these times, as far as there are such; of a stretch that is too short, what is around its middle. */
	zoom(from: number, to: number): void {
		const span = Math.min(this.length, Math.max(LEAST_NS, to - from));
		this.from = clamp(from + (to - from - span) / 2, 0, this.length - span);
		this.to = this.from + span;
	}

	/** Shows `factor` times as much; the time at x stays where it is. */
	zoomAt(x: number, factor: number): void {
		const time = this.timeAt(x);
		this.zoom(time - (time - this.from) * factor, time + (this.to - time) * factor);
	}

	/** Moves along by a share of what is shown. */
	pan(share: number): void {
		const by = this.span * share;
		this.zoom(this.from + by, this.to + by);
	}

	/** Shows an interval with its own length before and after it. False: there is none. */
	zoomInto({ row, item }: Pick): boolean {
		const { from, to } = this.rows[row]!;
		if (item < 0) return false;
		this.zoom(2 * from[item]! - to[item]!, 2 * to[item]! - from[item]!);
		return true;
	}

	/** Moves along to an interval that is not seen. False: it is seen already. */
	moveTo({ row, item }: Pick): boolean {
		const { from, to } = this.rows[row]!;
		if (item < 0 || (to[item]! >= this.from && from[item]! <= this.to)) return false;
		const middle = (from[item]! + to[item]!) / 2,
			half = this.span / 2;
		this.zoom(middle - half, middle + half);
		return true;
	}

	// -- places --

	/** The row, and the interval, at a point of the canvas; null: there is no row. */
	at(x: number, y: number, scroll: number): Pick | null {
		const height = y - AXIS_HEIGHT + scroll,
			line =
				y < AXIS_HEIGHT
					? undefined
					: this.lines.find((other) => other.row >= 0 && height >= other.y && height < other.y + ROW_HEIGHT);
		if (!line) return null;
		const slack = (SLACK * this.span) / this.width;
		return { row: line.row, item: x < this.left ? -1 : itemAt(this.rows[line.row]!, this.timeAt(x), slack) };
	}

	/** How far to scroll for a row to be seen: not at all, or so that it is in the middle. */
	scrollTo(row: number, scroll: number): number {
		const line = this.lineOf(row);
		if (!line) return scroll;
		const isSeen = line.y >= scroll && line.y + ROW_HEIGHT + AXIS_HEIGHT <= scroll + this.viewHeight;
		return isSeen ? scroll : Math.max(0, line.y - this.viewHeight / 2);
	}

	/** Left and right edge of an interval, within those of all; null: it is not seen. */
	edgesOf({ row, item }: Pick): [number, number] | null {
		const { from, to } = this.rows[row]!,
			right = this.left + this.width,
			first = Math.max(this.left, this.x(from[item]!)),
			last = Math.min(right, this.x(to[item]!));
		return last >= this.left && first <= right ? [first, last] : null;
	}
}
