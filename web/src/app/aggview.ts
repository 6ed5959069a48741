// SPDX-License-Identifier: Apache-2.0
// Results of a program as tables that can be sorted, as histograms, as text, and as stacks for a flame graph.
import { AggRow, Bucket, Value } from "./api.js";
import { keyText, Result, show, stackOf } from "./output.js";
import {
	addRow,
	barCell,
	replaceChildren,
	makeElement,
	makeButton,
	makeDot,
	makeNote,
	makePre,
	numberCell,
} from "../element.js";
import { keyCss } from "../keycolour.js";
import { number } from "../amount.js";
import { sum } from "../math.js";

const ROWS = 200; // of a table
const DISTRIBUTIONS = 24;

export function isDistribution(row: AggRow): boolean {
	return row.values.some((value) => Array.isArray(value));
}

type Cell = number | Bucket[] | null | undefined;

function total(value: Cell): number {
	return Array.isArray(value) ? sum(value.map((bucket) => bucket.count)) : Math.abs(value ?? 0);
}

/** The middle of the bucket below which a share of the values are. */
function quantile(buckets: Bucket[], share: number): number {
	let left = share * total(buckets);
	const used = buckets.filter((bucket) => bucket.count > 0),
		at = used.find((bucket) => (left -= bucket.count) <= 1e-9) ?? used[used.length - 1];
	return at ? ((at.from ?? at.to ?? 0) + (at.to ?? at.from ?? 0)) / 2 : 0;
}

function shown(count: number): string {
	return Number.isInteger(count) ? number(count) : count.toLocaleString("en", { maximumFractionDigits: 2 });
}

/** Where a result comes from, for the tip at the pointer. */
export function source(result: Result, row: AggRow | null): string {
	const at = result.time
		? `, as it was ${(result.time / 1e9).toFixed(3)} s after the machine started`
		: ", as it was at the end";
	const key = row && row.key.length ? `[${keyText(row)}]` : "";
	return (
		result.names.map((name, index) => `@${name}${key} = ${result.funcs[index]}() of the program above`).join("; ") +
		at
	);
}

// -- tables --

interface Column {
	title: string;
	of: (aggRow: AggRow) => Value;
	text: (value: Value) => string;
	numeric: boolean;
}

const order = new WeakMap<HTMLElement, { column: string; down: boolean; rows: string[] }>();

function columnsOf(result: Result): Column[] {
	const keys = result.rows[0]?.key.length ?? 0,
		all: Column[] = [];
	for (let i = 0; i < keys; i++)
		all.push({
			title: keys > 1 ? `key ${i + 1}` : "key",
			of: (row) => row.key[i]!,
			numeric: result.rows.every((row) => typeof row.key[i] === "number"),
			text: (value) => stackOf(value)?.[0] ?? show(value),
		});
	result.names.forEach((name, index) => {
		const title = result.names.length > 1 ? "@" + name : result.funcs[index] + "()",
			text = (value: Value) => (value === null ? "" : shown(Number(value)));
		if (!result.rows.some((row) => Array.isArray(row.values[index]))) {
			all.push({ title, of: (row) => (row.values[index] as number) ?? null, numeric: true, text });
			return;
		}
		const of = (measure: (buckets: Bucket[]) => number) => (row: AggRow) =>
			Array.isArray(row.values[index]) ? measure(row.values[index] as Bucket[]) : null;
		for (const [what, measure] of [
			["values", total],
			["median", (buckets: Bucket[]) => quantile(buckets, 0.5)],
			["99 %", (buckets: Bucket[]) => quantile(buckets, 0.99)],
			["largest", (buckets: Bucket[]) => quantile(buckets, 1)],
		] as const)
			all.push({
				title: result.names.length > 1 ? `${title} ${what}` : what,
				of: of(measure),
				numeric: true,
				text,
			});
	});
	return all;
}

function compare(a: Value, b: Value, numeric: boolean): number {
	return numeric ? Number(a ?? -Infinity) - Number(b ?? -Infinity) : show(a).localeCompare(show(b));
}

/**
 * Rows in their order: by the column that was chosen, else by the first value. Under the pointer they stay where they
 * are.
 */
function sorted(
	host: HTMLElement,
	result: Result,
	columns: Column[],
): { rows: AggRow[]; column: Column; down: boolean } {
	const had = order.get(host),
		first = columns[result.rows[0]?.key.length ?? 0]!,
		column = columns.find((one) => one.title === had?.column) ?? first,
		down = had?.down ?? true;
	const rows = [...result.rows].sort((a, b) => (down ? -1 : 1) * compare(column.of(a), column.of(b), column.numeric));
	if (had && host.matches(":hover")) {
		const place = new Map(had.rows.map((key, i) => [key, i]));
		rows.sort((a, b) => (place.get(keyText(a)) ?? Infinity) - (place.get(keyText(b)) ?? Infinity) || 0);
	}
	order.set(host, { column: column.title, down, rows: rows.map(keyText) });
	return { rows: rows.slice(0, ROWS), column, down };
}

export function drawTable(host: HTMLElement, result: Result): void {
	const columns = columnsOf(result),
		element = makeElement("table", "", "agg"),
		head = element.createTHead().insertRow(),
		body = element.createTBody(),
		{ rows, column, down } = sorted(host, result, columns);
	const measure = columns[result.rows[0]?.key.length ?? 0]!,
		most = Math.max(0, ...rows.map((row) => Math.abs(Number(measure.of(row) ?? 0)))),
		top = host.scrollTop;
	for (const one of columns) {
		const headCell = makeElement("th", "", one.numeric ? "n" : ""),
			here = one.title === column.title;
		headCell.ariaSort = here ? (down ? "descending" : "ascending") : "none";
		headCell.append(
			makeButton(one.title + (here ? (down ? " ↓" : " ↑") : ""), "sort by this", () => {
				order.set(host, { column: one.title, down: here ? !down : one.numeric, rows: [] });
				drawTable(host, result);
			}),
		);
		head.append(headCell);
	}
	head.append(makeElement("td"));
	for (const row of rows) {
		addRow(
			body,
			source(result, row),
			...columns.map((one, i) => {
				const cell = makeElement("td", one.text(one.of(row)), one.numeric ? "n" : ""),
					stack = i < row.key.length ? stackOf(row.key[i]!) : null;
				if (stack) cell.title = stack.join("\n");
				return cell;
			}),
			barCell(
				most ? Math.abs(Number(measure.of(row) ?? 0)) / most : 0,
				row.key.length ? keyCss(keyText(row)) : "",
			),
		);
	}
	replaceChildren(host, element, ...more(result.rows.length - ROWS, result.leftOut));
	host.scrollTop = top;
}

/** What is not shown. */
function more(beyond: number, leftOut: number): HTMLElement[] {
	const count = Math.max(0, beyond) + leftOut;
	return count ? [makeNote(`${number(count)} more`)] : [];
}

// -- histograms --

function bound(value: number | null): string {
	if (value === null) return "";
	const abs = Math.abs(value);
	for (const [size, unit] of [
		[2 ** 40, " Ti"],
		[2 ** 30, " Gi"],
		[2 ** 20, " Mi"],
		[1024, " Ki"],
	] as const)
		if (abs >= size && value % size === 0) return value / size + unit;
	return number(value);
}

function histogram(result: Result, row: AggRow, index: number): HTMLElement {
	const box = makeElement("figure", "", "dist"),
		all = row.values[index] as Bucket[],
		used = all.filter((bucket) => bucket.count !== 0),
		key = keyText(row);
	const first = all.indexOf(used[0]!),
		last = all.indexOf(used[used.length - 1]!),
		most = Math.max(...all.map((bucket) => Math.abs(bucket.count)));
	const caption = makeElement(
		"figcaption",
		(result.names.length > 1 ? `@${result.names[index]} ` : "") + (key || "all"),
	);
	if (key) caption.prepend(makeDot(keyCss(key)));
	box.append(caption);
	box.title = source(result, row);
	const table = makeElement("table"),
		body = table.createTBody();
	for (const bucket of used.length ? all.slice(first, last + 1) : []) {
		addRow(
			body,
			`${bucket.from ?? "−∞"} ≤ value < ${bucket.to ?? "∞"}: ${number(bucket.count)} · ${source(result, row)}`,
			makeElement("th", bound(bucket.from) || "< " + bound(bucket.to), "n"),
			barCell(Math.abs(bucket.count) / most, key && keyCss(key)),
			numberCell(number(bucket.count)),
		);
	}
	box.append(table, makeNote(`${number(total(all))} values`));
	return box;
}

export function distributions(host: HTMLElement, result: Result): void {
	const box = makeElement("div", "", "dists"),
		all = result.names.flatMap((_, index) =>
			result.rows.filter((row) => Array.isArray(row.values[index])).map((row) => ({ row, k: index })),
		);
	all.sort((a, b) => total(b.row.values[b.k]) - total(a.row.values[a.k]));
	box.append(...all.slice(0, DISTRIBUTIONS).map(({ row, k: index }) => histogram(result, row, index)));
	replaceChildren(host, box, ...more(all.length - DISTRIBUTIONS, result.leftOut));
}

// -- text and stacks --

export function textOf(host: HTMLElement, result: Result): void {
	const pre = makePre(result.text ?? "", "text");
	pre.title = source(result, null);
	replaceChildren(host, pre);
}

export type Flames = (host: HTMLElement, stacks: { frames: string[]; weight: number }[], from: string) => void;

/** Where stacks are in the key: [frames, root first, with the other keys in front], or null. */
export function stacksOf(result: Result): { frames: string[]; weight: number }[] | null {
	const all: { frames: string[]; weight: number }[] = [];
	for (const row of result.rows) {
		const at = row.key.findIndex((index) => stackOf(index) !== null),
			value = row.values[0];
		if (at < 0 || typeof value !== "number") return null;
		const others = row.key.filter((index) => stackOf(index) === null).map(show);
		const stacks = row.key
			.map(stackOf)
			.filter((frames) => frames !== null)
			.reverse()
			.flatMap((frames) => [...frames!].reverse());
		all.push({ frames: [...others, ...stacks], weight: value });
	}
	return all.length ? all : null;
}
