// SPDX-License-Identifier: Apache-2.0
// What is shown of distributions, and in which numbers and words: without canvas and page.
import { amount, number, percent } from "./amount.js";
import { tick } from "./ticks.js";
import { clamp, sum } from "./math.js";

export interface Quantile {
	value: number | null;
	error: number | null;
	ratio: number | null;
}

/** See src/view/picture/hist_html.c. */
export interface Series {
	name: string;
	colour: string;
	count: number;
	quantiles: Quantile[];
	share: number[];
	most: number;
	at: number;
	chance: boolean;
}

export interface HistHead {
	title: string;
	unit: string;
	linear: boolean;
	notes: string; // of keys that are left out, and of what was lost
	per: string; // of what a row is: "power of two"
	names: string[];
	edges: number[];
	series: Series[];
}

export type Shows = "share" | "sum";
const STEPS = 5; // of the axis of shares, at most
const LABEL_WIDTH = 70, // of a value on the axis, px
	MANY_ROWS = 24; // with more of them only powers of two are labelled

/** A label of the axis of values: at which row's edge, at which part of the width, and what it says. */
export interface ValueLabel {
	row: number;
	x: number;
	text: string;
}

export class HistModel {
	head: HistHead = { title: "", unit: "", linear: true, notes: "", per: "", names: [], edges: [0, 1], series: [] };
	shows: Shows = "share";
	/** The row that the pointer is on; -1: none. */
	row = -1;
	/** Series that are not drawn. */
	readonly off = new Set<number>();

	/** Other distributions. */
	show(head: HistHead): void {
		this.head = head;
		this.off.clear();
		this.row = -1;
	}

	get rows(): number {
		return this.head.edges.length - 1;
	}

	get drawn(): Series[] {
		return this.head.series.filter((_, i) => !this.off.has(i));
	}

	toggle(i: number): void {
		if (!this.off.delete(i)) this.off.add(i);
	}

	/** Whether another row is chosen now. */
	choose(row: number): boolean {
		const other = row >= 0 && row < this.rows ? row : -1,
			changed = other !== this.row;
		this.row = other;
		return changed;
	}

	move(by: number): boolean {
		return this.choose(clamp(this.row + by, 0, this.rows - 1));
	}

	summary(): string {
		return (
			`${number(sum(this.head.series.map((series) => series.count)))} values` +
			(this.head.notes && ` · ${this.head.notes}`)
		);
	}

	/** Heights of the rows of a series: shares, or their sums. */
	heights(series: Series): number[] {
		let total = 0;
		return this.shows === "share" ? series.share : series.share.map((value) => Math.min(1, (total += value)));
	}

	/** The end of the axis of shares, and the distance of its labels. */
	shareAxis(): { most: number; step: number } {
		const largest =
				this.shows === "sum" ? 1 : Math.max(1e-9, ...this.drawn.flatMap((series) => this.heights(series))),
			step = tick(largest / STEPS, "");
		return { most: step * Math.ceil(largest / step - 1e-9), step };
	}

	/** Labels that have room on an axis of this width, px. */
	valueLabels(width: number): ValueLabel[] {
		const { edges, unit, linear } = this.head,
			out: ValueLabel[] = [];
		let last = -Infinity;
		edges.forEach((value, row) => {
			const x = (width * row) / this.rows;
			if (!linear && this.rows > MANY_ROWS && !Number.isInteger(Math.log2(value))) return;
			if (x - last < LABEL_WIDTH || x > width - 16) return;
			last = x;
			out.push({ row, x, text: amount(value, unit) });
		});
		return out;
	}

	quantileText({ value, error }: Quantile): string {
		return value === null ? "" : (error === null ? "> " : "") + amount(value, this.head.unit);
	}

	/** By how much it may be wrong, and how it stands to that of the first series; i: of the series. */
	quantileNote({ error, ratio }: Quantile, i: number): string {
		return (error ? ` ± ${(100 * error).toFixed(1)} %` : "") + (i && ratio ? ` × ${ratio.toFixed(2)}` : "");
	}

	/** Where a series differs most from the first one. */
	differenceText({ most, at, chance }: Series): string {
		const below = `${most < 0 ? "fewer" : "more"} below ${amount(at, this.head.unit)}`;
		return `${percent(Math.abs(most))} ${below}${chance ? ", as chance gives" : ""}`;
	}

	/** What the chosen row is, and what is in it of each series that is drawn. */
	rowText(): { range: string; lines: string[] } {
		const { edges, unit } = this.head,
			row = this.row;
		return {
			range: `${amount(edges[row]!, unit)} to ${amount(edges[row + 1]!, unit)}`,
			lines: this.drawn.map((series) => {
				const below = Math.min(1, sum(series.share.slice(0, row + 1)));
				return (
					`${series.name}: ${percent(series.share[row]!)} (${number(series.share[row]! * series.count)}), ` +
					`${percent(below)} are not larger`
				);
			}),
		};
	}
}

/** A share on the axis whose labels are `step` apart. */
export function shareText(value: number, step: number): string {
	return (100 * value).toFixed(Math.max(0, -Math.floor(Math.log10(100 * step) + 1e-9))) + " %";
}
