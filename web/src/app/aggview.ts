// SPDX-License-Identifier: Apache-2.0
// Results of a program as tables that can be sorted, as histograms, as text, and as stacks for a flame graph.
import { AggRow, Bucket, Value } from "./api.js";
import { keyText, Result, show, stackOf } from "./output.js";
import { addRow, barCell, fill, make, makeButton, makeDot, makeNote, makePre, numeric } from "../dom.js";
import { keyCss } from "../keycolour.js";
import { number } from "../amount.js";
import { sum } from "../short.js";

const ROWS = 200; // of a table
const DISTRIBUTIONS = 24;

export function isDistribution(r: AggRow): boolean {
	return r.values.some((v) => Array.isArray(v));
}

type Cell = number | Bucket[] | null | undefined;

function total(v: Cell): number {
	return Array.isArray(v) ? sum(v.map((b) => b.count)) : Math.abs(v ?? 0);
}

/** The middle of the bucket below which a share of the values are. */
function quantile(v: Bucket[], share: number): number {
	let left = share * total(v);
	const used = v.filter((b) => b.count > 0), at = used.find((b) => (left -= b.count) <= 1e-9) ?? used[used.length - 1];
	return at ? ((at.from ?? at.to ?? 0) + (at.to ?? at.from ?? 0)) / 2 : 0;
}

function shown(n: number): string {
	return Number.isInteger(n) ? number(n) : n.toLocaleString("en", { maximumFractionDigits: 2 });
}

/** What is said of a result where the pointer is. */
export function source(r: Result, row: AggRow | null): string {
	const at = r.time ? `, as it was ${(r.time / 1e9).toFixed(3)} s after the machine started` : ", as it was at the end";
	return r.names.map((n, k) => `@${n}${row && row.key.length ? "[" + keyText(row) + "]" : ""} = ${r.funcs[k]}() of the program above`).join("; ") + at;
}

// -- tables --

interface Column {
	title: string;
	of: (r: AggRow) => Value;
	text: (v: Value) => string;
	numeric: boolean;
}

const order = new WeakMap<HTMLElement, { column: string, down: boolean, rows: string[] }>();

function columnsOf(r: Result): Column[] {
	const keys = r.rows[0]?.key.length ?? 0, all: Column[] = [];
	for (let i = 0; i < keys; i++)
		all.push({ title: keys > 1 ? `key ${i + 1}` : "key", of: (row) => row.key[i]!, numeric: r.rows.every((row) => typeof row.key[i] === "number"),
			text: (v) => stackOf(v)?.[0] ?? show(v) });
	r.names.forEach((name, k) => {
		const title = r.names.length > 1 ? "@" + name : r.funcs[k] + "()", text = (v: Value) => v === null ? "" : shown(Number(v));
		if (!r.rows.some((row) => Array.isArray(row.values[k]))) {
			all.push({ title, of: (row) => row.values[k] as number ?? null, numeric: true, text });
			return;
		}
		const of = (f: (b: Bucket[]) => number) => (row: AggRow) => Array.isArray(row.values[k]) ? f(row.values[k] as Bucket[]) : null;
		for (const [what, f] of [["values", total], ["median", (b: Bucket[]) => quantile(b, 0.5)], ["99 %", (b: Bucket[]) => quantile(b, 0.99)], ["largest", (b: Bucket[]) => quantile(b, 1)]] as const)
			all.push({ title: r.names.length > 1 ? `${title} ${what}` : what, of: of(f), numeric: true, text });
	});
	return all;
}

function compare(a: Value, b: Value, numeric: boolean): number {
	return numeric ? Number(a ?? -Infinity) - Number(b ?? -Infinity) : show(a).localeCompare(show(b));
}

/** Rows in their order: by the column that was chosen, else by the first value. Under the pointer they stay where they are. */
function sorted(host: HTMLElement, r: Result, columns: Column[]): { rows: AggRow[], column: Column, down: boolean } {
	const had = order.get(host), first = columns[r.rows[0]?.key.length ?? 0]!, column = columns.find((c) => c.title === had?.column) ?? first, down = had?.down ?? true;
	const rows = [...r.rows].sort((a, b) => (down ? -1 : 1) * compare(column.of(a), column.of(b), column.numeric));
	if (had && host.matches(":hover")) {
		const place = new Map(had.rows.map((k, i) => [k, i]));
		rows.sort((a, b) => (place.get(keyText(a)) ?? Infinity) - (place.get(keyText(b)) ?? Infinity) || 0);
	}
	order.set(host, { column: column.title, down, rows: rows.map(keyText) });
	return { rows: rows.slice(0, ROWS), column, down };
}

export function table(host: HTMLElement, r: Result): void {
	const columns = columnsOf(r), t = make("table", "", "agg"), head = t.createTHead().insertRow(), body = t.createTBody(), { rows, column, down } = sorted(host, r, columns);
	const measure = columns[r.rows[0]?.key.length ?? 0]!, most = Math.max(0, ...rows.map((row) => Math.abs(Number(measure.of(row) ?? 0)))), top = host.scrollTop;
	for (const c of columns) {
		const th = make("th", "", c.numeric ? "n" : ""), here = c.title === column.title;
		th.ariaSort = here ? down ? "descending" : "ascending" : "none";
		th.append(makeButton(c.title + (here ? down ? " ↓" : " ↑" : ""), "sort by this", () => {
			order.set(host, { column: c.title, down: here ? !down : c.numeric, rows: [] });
			table(host, r);
		}));
		head.append(th);
	}
	head.append(make("td"));
	for (const row of rows) {
		addRow(body, source(r, row), ...columns.map((c, i) => {
			const td = make("td", c.text(c.of(row)), c.numeric ? "n" : ""), stack = i < row.key.length ? stackOf(row.key[i]!) : null;
			if (stack)
				td.title = stack.join("\n");
			return td;
		}), barCell(most ? Math.abs(Number(measure.of(row) ?? 0)) / most : 0, row.key.length ? keyCss(keyText(row)) : ""));
	}
	fill(host, t, ...more(r.rows.length - ROWS, r.leftOut));
	host.scrollTop = top;
}

/** What is not shown. */
function more(beyond: number, leftOut: number): HTMLElement[] {
	const n = Math.max(0, beyond) + leftOut;
	return n ? [makeNote(`${number(n)} more`)] : [];
}

// -- histograms --

function bound(v: number | null): string {
	if (v === null)
		return "";
	const abs = Math.abs(v);
	for (const [size, unit] of [[2 ** 40, " Ti"], [2 ** 30, " Gi"], [2 ** 20, " Mi"], [1024, " Ki"]] as const)
		if (abs >= size && v % size === 0)
			return v / size + unit;
	return number(v);
}

function histogram(r: Result, row: AggRow, k: number): HTMLElement {
	const box = make("figure", "", "dist"), all = row.values[k] as Bucket[], used = all.filter((b) => b.count !== 0), key = keyText(row);
	const first = all.indexOf(used[0]!), last = all.indexOf(used[used.length - 1]!), most = Math.max(...all.map((b) => Math.abs(b.count)));
	const caption = make("figcaption", (r.names.length > 1 ? `@${r.names[k]} ` : "") + (key || "all"));
	if (key)
		caption.prepend(makeDot(keyCss(key)));
	box.append(caption);
	box.title = source(r, row);
	const t = make("table"), body = t.createTBody();
	for (const b of used.length ? all.slice(first, last + 1) : []) {
		addRow(body, `${b.from ?? "−∞"} ≤ value < ${b.to ?? "∞"}: ${number(b.count)} · ${source(r, row)}`,
			make("th", bound(b.from) || "< " + bound(b.to), "n"), barCell(Math.abs(b.count) / most, key && keyCss(key)), numeric(number(b.count)));
	}
	box.append(t, makeNote(`${number(total(all))} values`));
	return box;
}

export function distributions(host: HTMLElement, r: Result): void {
	const box = make("div", "", "dists"), all = r.names.flatMap((_, k) => r.rows.filter((row) => Array.isArray(row.values[k])).map((row) => ({ row, k })));
	all.sort((a, b) => total(b.row.values[b.k]) - total(a.row.values[a.k]));
	box.append(...all.slice(0, DISTRIBUTIONS).map(({ row, k }) => histogram(r, row, k)));
	fill(host, box, ...more(all.length - DISTRIBUTIONS, r.leftOut));
}

// -- text and stacks --

export function textOf(host: HTMLElement, r: Result): void {
	const pre = makePre(r.text ?? "", "text");
	pre.title = source(r, null);
	fill(host, pre);
}

export type Flames = (host: HTMLElement, stacks: { frames: string[], weight: number }[], from: string) => void;

/** Where stacks are in the key: [frames, root first, with the other keys in front], or null. */
export function stacksOf(r: Result): { frames: string[], weight: number }[] | null {
	const all: { frames: string[], weight: number }[] = [];
	for (const row of r.rows) {
		const at = row.key.findIndex((k) => stackOf(k) !== null), v = row.values[0];
		if (at < 0 || typeof v !== "number")
			return null;
		const others = row.key.filter((k) => stackOf(k) === null).map(show);
		const stacks = row.key.map(stackOf).filter((s) => s !== null).reverse().flatMap((s) => [...s!].reverse());
		all.push({ frames: [...others, ...stacks], weight: v });
	}
	return all.length ? all : null;
}
