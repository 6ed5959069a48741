// SPDX-License-Identifier: Apache-2.0
// How the output of a program is drawn: what fits it, what is best, and the choice among them.
import { amount, number } from "../amount.js";
import { fill, make, makeButton, makeDot, makeGroup, makeNote, named } from "../dom.js";
import { Cell, HeatView } from "../heat.js";
import { keyCss } from "../keycolour.js";
import { distributions, Flames, isDistribution, source, stacksOf, table, textOf } from "./aggview.js";
import { Output, Result } from "./output.js";

export type Drawing = "table" | "histogram" | "heat" | "flame" | "text";
const NAMES: Record<Drawing, [string, string]> = { flame: ["Flame graph", "the stacks of the key"], histogram: ["Histogram", "how the values are distributed"],
	heat: ["Heat map", "how the distribution changes from second to second"], table: ["Table", "keys and values: a click on a head sorts"], text: ["Text", "as the program writes it"] };
const KEYS = 24; // of a heat map that can be chosen

/** What fits a result, the best first. */
export function drawingsOf(r: Result): Drawing[] {
	const all: Drawing[] = [];
	if (stacksOf(r))
		all.push("flame");
	if (r.rows.some((row) => isDistribution(row)))
		all.push("histogram", "heat");
	all.push("table");
	if (r.text !== null)
		all.push("text");
	return all;
}

/** A result with its heading, the choice, and the drawing. */
export class Picture {
	readonly element = make("section", "", "picture");
	private readonly bar = make("div", "", "bar");
	private readonly host = make("div");
	private readonly title: HTMLElement;
	private offered = "";
	private drawn: Drawing | null = null;
	private heat: Heat | null = null;
	/** What was asked for; what does not fit is not drawn so. */
	wanted: Drawing | null = null;
	onChoice: () => void = () => {};

	constructor(name: string, private readonly flames: Flames) {
		this.title = make("h2", name);
		named(this.host, "group", name); // it scrolls
		this.element.append(this.bar, this.host);
	}

	/** What is drawn now. */
	get drawing(): Drawing | null { return this.drawn; }

	draw(r: Result, o: Output): void {
		const fit = drawingsOf(r), best = this.wanted && fit.includes(this.wanted) ? this.wanted : fit[0]!;
		if (this.offered !== fit.join() || best !== this.drawn) {
			this.offered = fit.join();
			fill(this.bar, this.title, ...(fit.length > 1 ? [makeGroup(fit.map((d) => [d, ...NAMES[d]] as const), (d) => d === best, (d) => {
				this.wanted = d;
				this.draw(r, o);
				this.onChoice();
			}).element] : []));
		}
		if (best !== this.drawn) {
			this.drawn = best;
			this.element.dataset["drawing"] = best;
			this.heat = null;
			fill(this.host);
			this.host.removeAttribute("style");
		}
		if (best === "flame")
			this.flames(this.host, stacksOf(r)!, source(r, null));
		else if (best === "histogram")
			distributions(this.host, r);
		else if (best === "heat")
			(this.heat ??= new Heat(this.host)).draw(r, o);
		else if (best === "text")
			textOf(this.host, r);
		else
			table(this.host, r);
	}
}

/** Distributions over time, as snapshots found them. */
class Heat {
	private readonly keys = make("div", "", "key-list");
	private readonly map = make("div", "", "map");
	private readonly tip = makeNote("");
	private view: HeatView | null = null;
	private readonly chosen = new Set<string>();
	private where = "";

	constructor(host: HTMLElement) {
		fill(host, this.keys, this.map, this.tip);
	}

	draw(r: Result, o: Output): void {
		const value = r.rows[0]?.values.findIndex((v) => Array.isArray(v)) ?? 0, name = r.names[Math.max(0, value)]!, h = o.history.get(name)?.heat("@" + name, "", o.wallOffset);
		if (!h) {
			this.tip.textContent = "The first second is not over.";
			return;
		}
		this.where = `from @${name}, what each snapshot of the run has more than the one before`;
		if (!this.view) {
			this.view = new HeatView(this.map, h.head, h.planes);
			this.view.selecting = "isolate";
			const c = this.view.canvas;
			named(c, "img", `Heat map of @${name}; the table has the same as text`);
			this.view.onCell = (cell) => this.say(cell);
			this.say(null);
		}
		this.view.update(h.head, h.planes);
		this.select();
		this.drawKeys(h.planes.map((p) => p.key));
	}

	private say(c: Cell | null): void {
		const v = this.view!, h = v.data;
		this.tip.textContent = c && v.count(c) ? `${number(v.count(c))} · ${amount(h.head.edges[c.row]!, "")} to ${amount(h.head.edges[c.row + 1]!, "")} · ` +
			v.keysOf(c).slice(0, 4).map((k) => `${h.planes[k.key]!.key || "all"} ${number(k.count)}`).join(", ") + " · " + this.where : "A column is a second, by when values were read: up to a second late.";
	}

	private select(): void {
		const v = this.view!;
		v.selected.clear();
		v.data.planes.forEach((p, k) => this.chosen.has(p.key) && v.selected.add(k));
		v.recount();
	}

	private drawKeys(keys: string[]): void {
		this.keys.hidden = keys.length < 2;
		fill(this.keys, ...keys.slice(0, KEYS).map((key) => {
			const b = makeButton("", "this key alone", () => {
				if (!this.chosen.delete(key))
					this.chosen.add(key);
				this.select();
				this.drawKeys(keys);
			});
			b.append(makeDot(keyCss(key)), key);
			b.ariaPressed = String(this.chosen.has(key));
			return b;
		}));
	}
}

/** The part of an address that says how results are drawn: name~drawing, with commas. */
export function putDrawings(wanted: Map<string, Drawing>): string {
	return [...wanted].map(([name, d]) => `${name}~${d}`).join(",");
}

export function takeDrawings(text: string | null): Map<string, Drawing> {
	const all = new Map<string, Drawing>();
	for (const one of (text ?? "").split(",")) {
		const at = one.lastIndexOf("~"), d = one.slice(at + 1);
		if (at >= 0 && d in NAMES)
			all.set(one.slice(0, at), d as Drawing);
	}
	return all;
}
