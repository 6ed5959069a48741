// SPDX-License-Identifier: Apache-2.0
// The page of one timeline: `dwell timeline -o FILE.html`. Everything it shows is in the file.
import { amount, number, percent } from "./amount.js";
import { unpack } from "./bytes.js";
import { make, makeButton, placeTip } from "./dom.js";
import { timeText } from "./heat.js";
import { isDark, onTheme } from "./theme.js";
import { Pick, TimelineView } from "./timeline.js";
import { decodeRows, decodeTexts, OPEN, Row, sumUp, Text, TimelineHead } from "./timelinemodel.js";

const STACK_LINES = 40, TIP_LINES = 8;
const KEYS: [string, string][] = [["drag", "move along"], ["wheel on the axis, Ctrl+wheel, + −", "zoom"], ["drag on the axis, Shift+drag", "zoom to a stretch"],
	["Shift+wheel, ← →", "move along"], ["↑ ↓", "choose a row"], ["n p", "next, previous interval of the row"], ["double click", "zoom to an interval"], ["/", "search"],
	["t", "table"], ["d", "dark or light"], ["Escape", "show everything"]];

class Page {
	private readonly view: TimelineView;
	private readonly map = make("div", "", "flame");
	private readonly tableBox = make("div", "", "table");
	private readonly tip = make("div", "", "tip");
	private readonly details = make("div");
	private readonly sums = make("div");
	private readonly legend = make("div", "", "legend");
	private readonly search = make("input");
	private readonly found = make("span", "", "muted");
	private readonly help = make("dialog");

	constructor(private readonly head: TimelineHead, private readonly rows: Row[], private readonly texts: Text[], app: HTMLElement) {
		const top = make("header", "", "head"), main = make("div", "", "main"), box = make("div", "", "view"), side = make("div", "", "side");
		top.append(make("h1", head.title), make("span", this.summary(), "muted"));
		this.tableBox.hidden = this.tip.hidden = true;
		this.tableBox.tabIndex = 0;
		box.append(this.map, this.tableBox);
		side.append(this.section("Interval", this.details), this.section("Row", this.sums));
		this.makeHelp();
		app.replaceChildren(top, this.bar(), this.legend, main, this.tip, this.help);
		main.append(box, side);
		this.view = new TimelineView(this.map, head, rows);
		this.view.canvas.setAttribute("role", "img");
		this.view.canvas.setAttribute("aria-label", head.title + ". The table has shares as text.");
		this.view.onHover = (p, x, y) => this.hover(p, x, y);
		this.view.onPick = () => this.showDetails();
		this.view.onRange = () => this.showSums();
		onTheme(() => this.showLegend());
		document.addEventListener("keydown", (e) => this.key(e));
		this.showLegend();
		this.showDetails();
	}

	private section(title: string, content: HTMLElement): HTMLElement {
		const s = make("section");
		s.append(make("h2", title), content);
		return s;
	}

	private summary(): string {
		const h = this.head, start = new Date(h.begin).toISOString();
		return `${number(this.rows.length)} rows, ${number(h.items)} intervals in ${amount(h.length, "ns")} from ${start.slice(0, 10)} ${timeText(h.begin, 1)} UTC` +
			(h.lost ? ` · ${number(h.lost)} events lost` : "") + (h.leftOut ? ` · ${number(h.leftOut)} intervals left out (too many)` : "") +
			(h.leftOutRows ? ` · ${number(h.leftOutRows)} rows left out` : "") + (h.states || h.processes ? "" : " · only slow waits: what is between is not known");
	}

	private bar(): HTMLElement {
		const bar = make("div", "", "bar");
		this.search.type = "search";
		this.search.placeholder = "Search threads, causes, functions";
		this.search.setAttribute("aria-label", "search");
		this.search.addEventListener("input", () => this.find());
		bar.append(this.search, this.found, make("span", "", "grow"), makeButton("−", "zoom out (-)", () => this.zoom(1.6)),
			makeButton("+", "zoom in (+)", () => this.zoom(1 / 1.6)), makeButton("Table", "shares as text (t)", () => this.toggleTable()),
			makeButton("Reset", "show everything (Escape)", () => this.reset()), makeButton("◐", "dark or light (d)", () => this.toggleTheme()),
			makeButton("?", "help (?)", () => this.help.showModal()));
		return bar;
	}

	private makeHelp(): void {
		const dl = make("dl");
		for (const [k, what] of KEYS) {
			const dt = make("dt");
			dt.append(make("kbd", k));
			dl.append(dt, make("dd", what));
		}
		this.help.append(make("h1", "A timeline"), make("p", this.head.processes ? "Each row is a process below the one that made it; a bar is its life, cut where it became another program." :
			"Each row is a thread, colours are what it did. A pixel that several intervals share has their mixture; waits count more in it than running."),
		dl, makeButton("Close", "", () => this.help.close()));
	}

	private zoom(factor: number): void {
		this.view.zoomAt(this.view.left + this.view.width / 2, factor);
	}

	private showLegend(): void {
		const used = new Set<number>();
		for (const r of this.rows)
			r.kind.forEach((k) => used.add(k));
		this.legend.replaceChildren(...this.head.kinds.flatMap((k, i) => {
			const one = make("span"), dot = make("i");
			dot.style.background = this.view.colour(i);
			one.append(dot, k.text);
			return used.has(i) && !this.head.processes ? [one] : [];
		}));
	}

	private find(): void {
		const what = this.search.value.toLowerCase(), v = this.view;
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
	}

	/** What there is to say of an interval. */
	private describe(p: Pick, lines: number): HTMLElement[] {
		const r = this.rows[p.row]!, i = p.item, out: HTMLElement[] = [];
		if (i < 0)
			return [make("b", r.label), make("div", r.group === "threads" ? `process ${r.pid}, thread ${r.tid}` : `${number(r.n)} intervals`)];
		const kind = this.head.kinds[r.kind[i]!]!, text = this.texts[r.text[i]!]!, by = this.texts[r.by[i]!]!.words, length = r.to[i]! - r.from[i]!;
		out.push(make("b", `${kind.text}, ${amount(length, "ns")}${r.flags[i]! & OPEN ? " and longer" : ""}`));
		if (text.words)
			out.push(make("div", text.words));
		out.push(make("div", `${r.label}, ${amount(r.from[i]!, "ns")} after the begin` + (r.cpu[i] && kind.name === "running" ? `, CPU ${r.cpu[i]! - 1}` : ""), "muted"));
		if (by)
			out.push(make("div", `woken by ${by}`));
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
		this.tip.replaceChildren(...this.describe(p, TIP_LINES));
		placeTip(this.tip, x, y);
	}

	private showDetails(): void {
		const p = this.view.picked;
		this.details.replaceChildren(...(p ? this.describe(p, STACK_LINES) : [make("div", "Click an interval; ? tells the keys.", "muted")]));
		this.showSums();
	}

	private showSums(): void {
		const p = this.view.picked;
		if (!p) {
			this.sums.replaceChildren(make("div", "What the time of the chosen row went to.", "muted"));
			return;
		}
		const { sum, longest } = sumUp(this.rows[p.row]!, this.head.kinds, this.view.from, this.view.to), list = make("ul", "", "sums");
		const all = sum.reduce((a, b) => a + b, 0) || 1, order = [...sum.keys()].filter((k) => sum[k]! > 0).sort((a, b) => sum[b]! - sum[a]!);
		for (const k of order) {
			const li = make("li"), dot = make("i");
			dot.style.background = this.view.colour(k);
			li.append(dot, make("span", this.head.kinds[k]!.text), `${amount(sum[k]!, "ns")} ${percent(sum[k]! / all)}`);
			list.append(li);
		}
		this.sums.replaceChildren(make("div", `${this.rows[p.row]!.label}, of ${amount(this.view.to - this.view.from, "ns")} that are seen`, "muted"), list,
			...(longest ? [make("div", `longest wait ${amount(longest, "ns")}`, "muted")] : []));
	}

	private toggleTable(): void {
		this.tableBox.hidden = !this.tableBox.hidden;
		this.map.hidden = !this.tableBox.hidden;
		if (this.tableBox.hidden)
			return;
		const table = make("table"), body = make("tbody"), head = make("tr"), thead = make("thead"), kinds = this.head.kinds, v = this.view;
		const all = this.rows.map((r) => sumUp(r, kinds, v.from, v.to)), used = kinds.map((_, k) => k).filter((k) => all.some((s) => s.sum[k]! > 0));
		head.append(make("th", "Row"), ...used.map((k) => make("th", kinds[k]!.name, "n")), make("th", "longest wait", "n"));
		for (const i of v.visible) {
			const tr = make("tr"), s = all[i]!;
			tr.append(make("td", this.rows[i]!.label), ...used.map((k) => make("td", s.sum[k]! ? amount(s.sum[k]!, "ns") : "", "n")),
				make("td", s.longest ? amount(s.longest, "ns") : "", "n"));
			body.append(tr);
		}
		thead.append(head);
		table.append(thead, body);
		this.tableBox.replaceChildren(table);
	}

	private reset(): void {
		this.search.value = "";
		this.find();
		this.view.pick(null);
		this.view.zoom(0, this.head.length);
		if (!this.tableBox.hidden)
			this.toggleTable();
	}

	private toggleTheme(): void {
		document.documentElement.dataset["theme"] = isDark() ? "light" : "dark";
	}

	private moveRow(by: number): void {
		const all = this.view.visible, at = this.view.picked ? all.indexOf(this.view.picked.row) : -1;
		const row = all[Math.max(0, Math.min(all.length - 1, at + by))];
		if (row !== undefined)
			this.view.pick({ row, item: -1 });
	}

	private moveItem(by: number): void {
		const p = this.view.picked, r = p ? this.rows[p.row]! : null;
		if (p && r && r.n)
			this.view.pick({ row: p.row, item: Math.max(0, Math.min(r.n - 1, p.item < 0 ? 0 : p.item + by)) });
	}

	private key(e: KeyboardEvent): void {
		if (e.ctrlKey || e.altKey || e.metaKey || this.help.open)
			return;
		if (e.target === this.search) {
			if (e.key === "Escape") {
				this.search.blur();
				this.reset();
			}
			return;
		}
		const keys: Record<string, () => void> = {
			"+": () => this.zoom(1 / 1.6), "=": () => this.zoom(1 / 1.6), "-": () => this.zoom(1.6), ArrowLeft: () => this.view.pan(-0.2),
			ArrowRight: () => this.view.pan(0.2), ArrowUp: () => this.moveRow(-1), ArrowDown: () => this.moveRow(1), n: () => this.moveItem(1), p: () => this.moveItem(-1),
			"/": () => this.search.focus(), t: () => this.toggleTable(), d: () => this.toggleTheme(), "?": () => this.help.showModal(), Escape: () => this.reset(),
		};
		const what = keys[e.key];
		if (!what)
			return;
		what();
		e.preventDefault();
	}

	/** For tests. */
	state(): object {
		const v = this.view;
		return { range: [v.from, v.to], picked: v.picked, visible: v.visible, drawn: v.drawn, items: this.head.items, rows: this.rows.map((r) => r.label),
			groups: this.rows.map((r) => r.group), found: this.found.textContent };
	}
}

async function main(): Promise<void> {
	const app = document.getElementById("app")!;
	try {
		const head = JSON.parse(document.getElementById("meta")!.textContent!) as TimelineHead;
		const texts = decodeTexts(await unpack(document.getElementById("texts")!.textContent!));
		const rows = decodeRows(await unpack(document.getElementById("rows")!.textContent!), head, texts);
		const page = new Page(head, rows, texts, app);
		Object.assign(window, { dwell: { page, state: () => page.state() } });
	} catch (e) {
		app.textContent = "This page cannot be shown: " + (e instanceof Error ? e.message : String(e)) +
			". It needs a browser of 2023 or later.";
	}
}
void main();
