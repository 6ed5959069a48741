// SPDX-License-Identifier: Apache-2.0
// The words and numbers of a heat map: its summary, its cells, its columns. Knows no page.
import { amount, number } from "./amount.js";
import { HeatCells } from "./heatcells.js";
import { Cell, HeatHead } from "./heatmodel.js";
import { sum } from "./math.js";
import { timeText } from "./ticks.js";

/** A count of cells, with the unit that is not "events". */
export function bareCount(head: HeatHead, count: number): string {
	return head.counted ? amount(count, head.counted) : number(count);
}

/** The same with "events". */
export function countText(head: HeatHead, count: number): string {
	return head.counted ? amount(count, head.counted) : `${number(count)} event${count === 1 ? "" : "s"}`;
}

export function rowText(head: HeatHead, row: number): string {
	return `${amount(head.edges[row]!, head.unit)} to ${amount(head.edges[row + 1]!, head.unit)}`;
}

/** How much there is, and what is missing. */
export function summaryText(head: HeatHead): string {
	const lost = sum(head.lost),
		parts = [countText(head, head.total), `columns of ${amount(head.step * 1e6, "ns")}`];
	if (lost) parts.push(`${number(lost)} lost`);
	if (head.late) parts.push("by the time of reading: an event may be one column late");
	return parts.join(" · ");
}

/** The time and the values of a cell. */
export function cellLines(head: HeatHead, { column, row }: Cell): string[] {
	const whole = head.step * head.columns,
		exact = Math.min(whole, head.step < 1000 ? 1 : whole);
	return [`${timeText(head.begin + column * head.step, exact)} UTC`, rowText(head, row)];
}

/** The keys of a cell with their counts, the largest first. */
export function keyLines(cells: HeatCells, cell: Cell): string[] {
	if (cells.planes.length < 2) return [];
	return cells.keysOf(cell).map(({ key, count }) => `${cells.planes[key]!.key}: ${bareCount(cells.head, count)}`);
}

/** What is missing in a column. */
export function missingLines(head: HeatHead, column: number): string[] {
	const lost = head.lost[column],
		notes = (head.notes ?? []).filter(([first, , columns]) => first <= column && column < first + columns);
	return [...(lost ? [`${number(lost)} lost in this column`] : []), ...notes.map(([, text]) => `dwell: ${text}`)];
}

/** A cell in one line: its count, its values, its largest keys. */
export function cellText(cells: HeatCells, cell: Cell): string {
	const keys = cells.keysOf(cell).slice(0, 4),
		names = keys.map(({ key, count }) => `${cells.planes[key]!.key || "all"} ${number(count)}`);
	return `${number(cells.count(cell))} · ${rowText(cells.head, cell.row)} · ${names.join(", ")}`;
}

const TABLE_HEADS = ["average", "median", "90 %", "99 %", "lost"];

/** Columns with events or losses as rows of text, below their heads. */
export function columnTable(cells: HeatCells): { heads: string[]; rows: string[][] } {
	const { head } = cells,
		rows: string[][] = [],
		value = (values: readonly (number | null)[], column: number) =>
			typeof values[column] === "number" ? amount(values[column], head.unit) : "";
	for (let column = 0; column < head.columns; column++) {
		let count = 0;
		for (let row = 0; row < head.rows; row++) count += cells.count({ column, row });
		const lost = head.lost[column];
		if (!count && !lost) continue;
		rows.push([
			timeText(head.begin + column * head.step, head.step * head.columns),
			bareCount(head, count),
			...[head.avg, head.p50, head.p90, head.p99].map((values) => value(values, column)),
			lost ? number(lost) : "",
		]);
	}
	return { heads: ["Time, UTC", head.counted ? "time" : "events", ...TABLE_HEADS], rows };
}

/** The percentiles of a column in one line; null: it has no values. */
export function percentileText(head: HeatHead, column: number): string | null {
	const value = (values: readonly (number | null)[]) =>
		typeof values[column] === "number" ? amount(values[column], head.unit) : "";
	if (head.p50[column] === null) return null;
	return `column: median ${value(head.p50)}, 90 % ${value(head.p90)}, 99 % ${value(head.p99)}`;
}
