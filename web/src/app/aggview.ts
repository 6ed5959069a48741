// SPDX-License-Identifier: Apache-2.0
// One aggregation as a picture: numbers as a table with bars, distributions as histograms, stacks as a flame graph.
import { AggRow, Bucket } from "./api.js";
import { Agg, show, stackOf } from "./output.js";
import { make } from "../dom.js";
import { number } from "../amount.js";

const ROWS = 200; // of a table, the largest
const DISTRIBUTIONS = 24;

function isDistribution(r: AggRow): boolean {
	return Array.isArray(r.values[0]);
}

function total(r: AggRow): number {
	const v = r.values[0];
	return Array.isArray(v) ? v.reduce((n, b) => n + b.count, 0) : Math.abs(v ?? 0);
}

function largestFirst(rows: AggRow[]): AggRow[] {
	return [...rows].sort((a, b) => total(b) - total(a));
}

function shown(n: number): string {
	return Number.isInteger(n) ? number(n) : n.toLocaleString("en", { maximumFractionDigits: 2 });
}

function table(a: Agg): HTMLElement {
	const t = make("table", "", "agg"), rows = largestFirst(a.rows).slice(0, ROWS), most = rows[0] ? total(rows[0]) : 0;
	const head = t.createTHead().insertRow(), keys = rows[0]?.key.length ?? 0;
	for (let i = 0; i < keys; i++)
		head.append(make("th", keys > 1 ? `key ${i + 1}` : "key"));
	const value = make("th", a.func + "()", "n");
	head.append(value, make("td"));
	const body = t.createTBody();
	for (const r of rows) {
		const tr = body.insertRow();
		for (const k of r.key) {
			const stack = stackOf(k), cell = make("td", stack ? stack[0] ?? "" : show(k));
			if (stack)
				cell.title = stack.join("\n");
			tr.append(cell);
		}
		tr.append(make("td", shown(r.values[0] as number), "n"));
		const bar = make("td", "", "bar"), fill = make("i");
		fill.style.setProperty("--share", String(most ? total(r) / most : 0));
		bar.append(fill);
		tr.append(bar);
	}
	return t;
}

/** Bounds in few digits: 1024 → 1 Ki where all are powers of two, else as they are. */
function bound(v: number | null): string {
	if (v === null)
		return "";
	const abs = Math.abs(v);
	for (const [size, unit] of [[2 ** 40, " Ti"], [2 ** 30, " Gi"], [2 ** 20, " Mi"], [1024, " Ki"]] as const)
		if (abs >= size && v % size === 0)
			return v / size + unit;
	return number(v);
}

function histogram(r: AggRow): HTMLElement {
	const box = make("figure", "", "dist"), all = r.values[0] as Bucket[], used = all.filter((b) => b.count !== 0);
	const first = all.indexOf(used[0]!), last = all.indexOf(used[used.length - 1]!), most = Math.max(...all.map((b) => Math.abs(b.count)));
	box.append(make("figcaption", r.key.map(show).join(", ") || "all"));
	const t = make("table"), body = t.createTBody();
	for (const b of used.length ? all.slice(first, last + 1) : []) {
		const tr = body.insertRow(), bar = make("td", "", "bar"), fill = make("i");
		fill.style.setProperty("--share", String(Math.abs(b.count) / most));
		bar.append(fill);
		tr.append(make("th", bound(b.from) || "< " + bound(b.to), "n"), bar, make("td", number(b.count), "n"));
		tr.title = `${b.from ?? "−∞"} ≤ value < ${b.to ?? "∞"}: ${number(b.count)}`;
	}
	box.append(t, make("p", `${number(total(r))} values`, "muted"));
	return box;
}

function distributions(a: Agg): HTMLElement {
	const box = make("div", "", "dists");
	for (const r of largestFirst(a.rows).slice(0, DISTRIBUTIONS))
		box.append(histogram(r));
	return box;
}

export type Flames = (host: HTMLElement, stacks: { frames: string[], weight: number }[]) => void;

/** Where stacks are in the key: [frames, root first, with the other keys in front], or null. */
export function stacksOf(a: Agg): { frames: string[], weight: number }[] | null {
	const all: { frames: string[], weight: number }[] = [];
	for (const r of a.rows) {
		const at = r.key.findIndex((k) => stackOf(k) !== null), v = r.values[0];
		if (at < 0 || typeof v !== "number")
			return null;
		const others = r.key.filter((k) => stackOf(k) === null).map(show);
		const stacks = r.key.map(stackOf).filter((s) => s !== null).reverse().flatMap((s) => [...s!].reverse());
		all.push({ frames: [...others, ...stacks], weight: v });
	}
	return all.length ? all : null;
}

/** Fills host with the picture of a. */
export function draw(host: HTMLElement, a: Agg, flames: Flames): void {
	const stacks = stacksOf(a);
	if (stacks) {
		flames(host, stacks);
	} else {
		host.replaceChildren(a.rows.some(isDistribution) ? distributions(a) : table(a));
		const more = Math.max(0, a.rows.length - (a.rows.some(isDistribution) ? DISTRIBUTIONS : ROWS)) + a.leftOut;
		if (more)
			host.append(make("p", `${number(more)} more, all smaller`, "muted"));
	}
}
