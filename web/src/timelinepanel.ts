// SPDX-License-Identifier: Apache-2.0
// A timeline with all that belongs to it: search, legend, table, what an interval is and what the time of its row went to. It stands in the
// page of `dwell timeline -o FILE.html` and in that of `dwell serve`.
import { amount, number, percent } from "./amount.js";
import { addRow, fill, grow, make, makeButton, makeDot, makeSection, makeTable, named, numeric, on, placeTip } from "./dom.js";
import { timeText } from "./heat.js";
import { clamp, sum } from "./short.js";
import { onTheme } from "./theme.js";
import { Pick, TimelineView } from "./timeline.js";
import { decodeRows, decodeTexts, OPEN, Row, sourceOf, sumUp, Text, TimelineHead } from "./timelinemodel.js";

const STACK_LINES = 40, TIP_LINES = 8, ZOOM = 1.6;
export const TIMELINE_KEYS: [string, string][] = [["drag", "move along"], ["wheel on the axis, Ctrl+wheel, + −", "zoom"], ["drag on the axis, Shift+drag", "zoom to a stretch"],
	["Shift+wheel, ← →", "move along"], ["↑ ↓", "choose a row"], ["n p", "next, previous interval of the row"], ["double click", "zoom to an interval"], ["/", "search"],
	["t", "table"], ["Escape", "show everything"]];

export class TimelinePanel {
	readonly element = make("div", "", "panel");
	readonly bar = make("div", "", "bar");
	readonly view: TimelineView;
	private readonly map = make("div", "", "flame");
	private readonly tableBox = make("div", "", "table");
	private readonly tip = make("div", "", "tip");
	private readonly details = make("div");
	private readonly sums = make("div");
	private readonly legend = make("div", "", "legend");
	private readonly search = make("input");
	private readonly found = make("span", "", "muted");
	head: TimelineHead | null = null;
	rows: Row[] = [];
	private texts: Text[] = [];
	/** What the intervals were made from, for whoever asks. */
	origin = "";
	/** What is seen of it, or what is searched for, has changed. */
	onChange: () => void = () => {};

	constructor() {
		const stage = make("div", "", "stage"), box = make("div", "", "view"), beside = make("div", "", "beside");
		this.tableBox.hidden = this.tip.hidden = true;
		named(this.tableBox, "group", "Shares of each row");
		named(beside, "group", "Interval and row");
		this.view = new TimelineView(this.map);
		this.view.canvas.role = "img";
		this.view.onHover = (p, x, y) => this.hover(p, x, y);
		this.view.onPick = () => this.showDetails();
		this.view.onRange = () => {
			this.showSums();
			this.onChange();
		};
		box.append(this.map, this.tableBox);
		beside.append(makeSection("Interval", this.details), makeSection("Row", this.sums));
		stage.append(box, beside);
		this.fillBar();
		this.element.append(this.bar, this.legend, stage, this.tip);
		onTheme(() => this.showLegend());
	}

	/** Shows other data; what was searched for is forgotten. */
	show(head: TimelineHead, texts: Uint8Array, intervals: Uint8Array): void {
		this.head = head;
		this.texts = decodeTexts(texts);
		this.rows = decodeRows(intervals, head, this.texts);
		this.search.value = this.found.textContent = "";
		this.tip.hidden = true;
		this.view.canvas.ariaLabel = head.title + ". The table has shares as text.";
		this.view.show(head, this.rows);
		this.showLegend();
		this.showDetails();
		if (!this.tableBox.hidden)
			this.fillTable();
	}

	/** How much there is, and what is missing. */
	summary(): string {
		const h = this.head!, start = new Date(h.begin).toISOString();
		return `${number(this.rows.length)} rows, ${number(h.items)} intervals in ${amount(h.length, "ns")} from ${start.slice(0, 10)} ${timeText(h.begin, 1)} UTC` + (h.lead ? ` (${amount(h.lead, "ns")} after the recording began)` : "") +
			(h.lost ? ` · ${number(h.lost)} events lost` : "") + (h.leftOut ? ` · ${number(h.leftOut)} intervals left out (too many)` : "") +
			(h.leftOutRows ? ` · ${number(h.leftOutRows)} rows left out` : "") + (h.states || h.processes ? "" : " · only slow waits: what is between is not known");
	}

	private fillBar(): void {
		this.search.type = "search";
		this.search.placeholder = "Search threads, causes, functions";
		this.search.ariaLabel = "Search threads, causes, functions";
		on(this.search, "input", () => this.find(this.search.value));
		this.bar.append(this.search, this.found, grow(), makeButton("−", "zoom out (-)", () => this.zoom(ZOOM)),
			makeButton("+", "zoom in (+)", () => this.zoom(1 / ZOOM)), makeButton("Table", "shares as text (t)", () => this.toggleTable()),
			makeButton("Reset", "show everything (Escape)", () => this.reset()));
	}

	get searched(): string { return this.search.value; }

	private zoom(factor: number): void {
		this.view.zoomAt(this.view.left + this.view.width / 2, factor);
	}

	private showLegend(): void {
		const head = this.head;
		if (!head)
			return;
		const used = new Set<number>();
		for (const r of this.rows)
			r.kind.forEach((k) => used.add(k));
		fill(this.legend, ...head.kinds.flatMap((k, i) => {
			const one = make("span");
			one.append(makeDot(this.view.legendColour(i)), k.text);
			return used.has(i) && !head.processes ? [one] : [];
		}));
	}

	/** Brings out what has this text; "": everything. */
	find(text: string): void {
		const what = text.toLowerCase(), v = this.view;
		if (this.search.value !== text)
			this.search.value = text;
		if (!what) {
			v.found = null;
			v.shown = () => true;
			this.found.textContent = "";
		} else {
			const hit = Uint8Array.from(this.texts, (t) => t.words.toLowerCase().includes(what) || t.stack.toLowerCase().includes(what) ? 1 : 0);
			const named = this.rows.map((r) => r.label.toLowerCase().includes(what));
			let n = 0, ns = 0;
			const has = this.rows.map((r) => {
				let any = false;
				for (let i = 0; i < r.n; i++)
					if (hit[r.text[i]!]) {
						any = true;
						n++;
						ns += r.to[i]! - r.from[i]!;
					}
				return any;
			});
			v.found = n ? hit : null;
			v.shown = (i) => named[i]! || has[i]!;
			this.found.textContent = n ? `${number(n)} intervals, ${amount(ns, "ns")}` : `${number(named.filter(Boolean).length)} rows`;
		}
		v.layOut();
		this.onChange();
	}

	/** What there is to say of an interval. */
	private describe(p: Pick, lines: number): HTMLElement[] {
		const r = this.rows[p.row]!, i = p.item, out: HTMLElement[] = [];
		if (i < 0)
			return [make("b", r.label), make("div", r.group === "threads" ? `process ${r.pid}, thread ${r.tid}` : `${number(r.n)} intervals`)];
		const kind = this.head!.kinds[r.kind[i]!]!, text = this.texts[r.text[i]!]!, by = this.texts[r.by[i]!]!.words, length = r.to[i]! - r.from[i]!;
		out.push(make("b", `${kind.text}, ${amount(length, "ns")}${r.flags[i]! & OPEN ? " and longer" : ""}`));
		if (text.words)
			out.push(make("div", text.words));
		out.push(make("div", `${r.label}, ${amount(r.from[i]!, "ns")} after the begin` + (r.cpu[i] && kind.name === "running" ? `, CPU ${r.cpu[i]! - 1}` : ""), "muted"));
		if (by)
			out.push(make("div", `woken by ${by}`));
		out.push(make("div", `from ${sourceOf(r, i, this.head!)}${this.origin ? " of " + this.origin : ""}`, "muted"));
		if (text.stack) {
			const all = text.stack.trimEnd().split("\n");
			out.push(make("pre", all.slice(0, lines).join("\n") + (all.length > lines ? `\n… ${all.length - lines} more` : ""), "stack"));
		}
		return out;
	}

	private hover(p: Pick | null, x: number, y: number): void {
		this.tip.hidden = !p;
		if (!p)
			return;
		fill(this.tip, ...this.describe(p, TIP_LINES));
		placeTip(this.tip, x, y);
	}

	private showDetails(): void {
		const p = this.view.picked;
		fill(this.details, ...(p ? this.describe(p, STACK_LINES) : [make("div", "Click an interval; ? tells the keys.", "muted")]));
		this.showSums();
	}

	private showSums(): void {
		const p = this.view.picked;
		if (!p || !this.head) {
			fill(this.sums, make("div", "What the time of the chosen row went to.", "muted"));
			return;
		}
		const { spent, longest } = sumUp(this.rows[p.row]!, this.head!.kinds, this.view.from, this.view.to), list = make("ul", "", "sums");
		const all = sum(spent) || 1, order = [...spent.keys()].filter((k) => spent[k]! > 0).sort((a, b) => spent[b]! - spent[a]!);
		for (const k of order) {
			const li = make("li");
			li.append(makeDot(this.view.colour(k)), make("span", this.head!.kinds[k]!.text), `${amount(spent[k]!, "ns")} ${percent(spent[k]! / all)}`);
			list.append(li);
		}
		fill(this.sums, make("div", `${this.rows[p.row]!.label}, of ${amount(this.view.to - this.view.from, "ns")} that are seen`, "muted"), list,
			...(longest ? [make("div", `longest wait ${amount(longest, "ns")}`, "muted")] : []));
	}

	private toggleTable(): void {
		this.tableBox.hidden = !this.tableBox.hidden;
		this.map.hidden = !this.tableBox.hidden;
		if (!this.tableBox.hidden)
			this.fillTable();
	}

	private fillTable(): void {
		const kinds = this.head!.kinds, v = this.view, time = (ns: number) => numeric(ns ? amount(ns, "ns") : "");
		const all = this.rows.map((r) => sumUp(r, kinds, v.from, v.to)), used = kinds.map((_, k) => k).filter((k) => all.some((s) => s.spent[k]! > 0));
		const { table, body } = makeTable("", [["Row"], ...used.map((k) => [kinds[k]!.name, "n"] as const), ["longest wait", "n"]]);
		for (const i of v.visible)
			addRow(body, this.origin, this.rows[i]!.label, ...used.map((k) => time(all[i]!.spent[k]!)), time(all[i]!.longest));
		fill(this.tableBox, table);
	}

	private reset(): void {
		this.find("");
		this.view.pick(null);
		this.view.zoom(0, this.head?.length ?? 1);
		if (!this.tableBox.hidden)
			this.toggleTable();
	}

	private moveRow(by: number): void {
		const all = this.view.visible, at = this.view.picked ? all.indexOf(this.view.picked.row) : -1;
		const row = all[clamp(at + by, 0, all.length - 1)];
		if (row !== undefined)
			this.view.pick({ row, item: -1 });
	}

	private moveItem(by: number): void {
		const p = this.view.picked, r = p ? this.rows[p.row]! : null;
		if (p && r && r.n)
			this.view.pick({ row: p.row, item: clamp(p.item < 0 ? 0 : p.item + by, 0, r.n - 1) });
	}

	/** Whether the key means something here. */
	key(e: KeyboardEvent): boolean {
		if (e.ctrlKey || e.altKey || e.metaKey || !this.head)
			return false;
		if (e.target === this.search) {
			if (e.key !== "Escape")
				return false;
			this.search.blur();
			this.reset();
			return true;
		}
		const keys: Record<string, () => void> = {
			"+": () => this.zoom(1 / ZOOM), "=": () => this.zoom(1 / ZOOM), "-": () => this.zoom(ZOOM), ArrowLeft: () => this.view.pan(-0.2),
			ArrowRight: () => this.view.pan(0.2), ArrowUp: () => this.moveRow(-1), ArrowDown: () => this.moveRow(1), n: () => this.moveItem(1), p: () => this.moveItem(-1),
			"/": () => this.search.focus(), t: () => this.toggleTable(), Escape: () => this.reset(),
		};
		const what = keys[e.key];
		what?.();
		return what !== undefined;
	}

	/** For tests. */
	state(): object {
		const v = this.view;
		return { range: [v.from, v.to], picked: v.picked, visible: v.visible, drawn: v.drawn, items: this.head?.items ?? 0, rows: this.rows.map((r) => r.label),
			groups: this.rows.map((r) => r.group), found: this.found.textContent };
	}
}
