// SPDX-License-Identifier: Apache-2.0
// A timeline with all that belongs to it: search, legend, table, what an interval is and what the time of its row went
// to. It stands in the page of `dwell timeline -o FILE.html` and in that of `dwell serve`.
import { amount, number, percent } from "./amount.js";
import {
	addRow,
	replaceChildren,
	makeSpacer,
	makeElement,
	makeButton,
	makeDot,
	makeSection,
	makeTable,
	makeFocusable,
	numberCell,
	listen,
	placeTip,
} from "./element.js";
import { timeText } from "./ticks.js";
import { clamp, sum } from "./math.js";
import { onTheme } from "./theme.js";
import { Pick, TimelineView } from "./timeline.js";
import { decodeRows, decodeTexts, OPEN, Row, sourceOf, sumUp, Text, TimelineHead } from "./timelinemodel.js";

const STACK_LINES = 40,
	TIP_LINES = 8,
	ZOOM = 1.6;
export const TIMELINE_KEYS: [string, string][] = [
	["drag", "move along"],
	["wheel on the axis, Ctrl+wheel, + −", "zoom"],
	["drag on the axis, Shift+drag", "zoom to a stretch"],
	["Shift+wheel, ← →", "move along"],
	["↑ ↓", "choose a row"],
	["n p", "next, previous interval of the row"],
	["double click", "zoom to an interval"],
	["/", "search"],
	["t", "table"],
	["Escape", "show everything"],
];

export class TimelinePanel {
	readonly element = makeElement("div", "", "panel");
	readonly bar = makeElement("div", "", "bar");
	readonly view: TimelineView;
	private readonly map = makeElement("div", "", "flame");
	private readonly tableBox = makeElement("div", "", "table");
	private readonly tip = makeElement("div", "", "tip");
	private readonly details = makeElement("div");
	private readonly sums = makeElement("div");
	private readonly legend = makeElement("div", "", "legend");
	private readonly search = makeElement("input");
	private readonly found = makeElement("span", "", "muted");
	head: TimelineHead | null = null;
	rows: Row[] = [];
	private texts: Text[] = [];
	/** What the intervals were made from, in words. */
	origin = "";
	/** What is seen of it, or what is searched for, has changed. */
	onChange: () => void = () => {};

	constructor() {
		const stage = makeElement("div", "", "stage"),
			box = makeElement("div", "", "view"),
			beside = makeElement("div", "", "beside");
		this.tableBox.hidden = this.tip.hidden = true;
		makeFocusable(this.tableBox, "group", "Shares of each row");
		makeFocusable(beside, "group", "Interval and row");
		this.view = new TimelineView(this.map);
		this.view.canvas.role = "img";
		this.view.onHover = (pick, x, y) => this.hover(pick, x, y);
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
		if (!this.tableBox.hidden) this.fillTable();
	}

	/** How much there is, and what is missing. */
	summary(): string {
		const head = this.head!,
			start = new Date(head.begin).toISOString();
		return (
			`${number(this.rows.length)} rows, ${number(head.items)} intervals in ${amount(head.length, "ns")} ` +
			`from ${start.slice(0, 10)} ${timeText(head.begin, 1)} UTC` +
			(head.lead ? ` (${amount(head.lead, "ns")} after the recording began)` : "") +
			(head.lost ? ` · ${number(head.lost)} events lost` : "") +
			(head.leftOut ? ` · ${number(head.leftOut)} intervals left out by the limit` : "") +
			(head.leftOutRows ? ` · ${number(head.leftOutRows)} rows left out by the limit` : "") +
			(head.states || head.processes ? "" : " · only slow waits: the time between them is unknown")
		);
	}

	private fillBar(): void {
		this.search.type = "search";
		this.search.placeholder = "Search threads, causes, functions";
		this.search.ariaLabel = "Search threads, causes, functions";
		listen(this.search, "input", () => this.find(this.search.value));
		this.bar.append(
			this.search,
			this.found,
			makeSpacer(),
			makeButton("−", "zoom out (-)", () => this.zoom(ZOOM)),
			makeButton("+", "zoom in (+)", () => this.zoom(1 / ZOOM)),
			makeButton("Table", "shares as text (t)", () => this.toggleTable()),
			makeButton("Reset", "show everything (Escape)", () => this.reset()),
		);
	}

	get searched(): string {
		return this.search.value;
	}

	private zoom(factor: number): void {
		this.view.zoomAt(this.view.left + this.view.width / 2, factor);
	}

	private showLegend(): void {
		const head = this.head;
		if (!head) return;
		const used = new Set<number>();
		for (const row of this.rows) row.kind.forEach((k) => used.add(k));
		replaceChildren(
			this.legend,
			...head.kinds.flatMap((kind, i) => {
				const one = makeElement("span");
				one.append(makeDot(this.view.legendColour(i)), kind.text);
				return used.has(i) && !head.processes ? [one] : [];
			}),
		);
	}

	/** Brings out what has this text; "": everything. */
	find(text: string): void {
		const what = text.toLowerCase(),
			view = this.view;
		if (this.search.value !== text) this.search.value = text;
		if (!what) {
			view.found = null;
			view.shown = () => true;
			this.found.textContent = "";
		} else {
			const hit = Uint8Array.from(this.texts, (texts) =>
				texts.words.toLowerCase().includes(what) || texts.stack.toLowerCase().includes(what) ? 1 : 0,
			);
			const named = this.rows.map((row) => row.label.toLowerCase().includes(what));
			let count = 0,
				ns = 0;
			const has = this.rows.map((shownRow) => {
				let any = false;
				for (let i = 0; i < shownRow.n; i++)
					if (hit[shownRow.text[i]!]) {
						any = true;
						count++;
						ns += shownRow.to[i]! - shownRow.from[i]!;
					}
				return any;
			});
			view.found = count ? hit : null;
			view.shown = (i) => named[i]! || has[i]!;
			this.found.textContent = count
				? `${number(count)} intervals, ${amount(ns, "ns")}`
				: `${number(named.filter(Boolean).length)} rows`;
		}
		view.layOut();
		this.onChange();
	}

	/** An interval in words. */
	private describe(pick: Pick, lines: number): HTMLElement[] {
		const row = this.rows[pick.row]!,
			i = pick.item,
			out: HTMLElement[] = [];
		if (i < 0)
			return [
				makeElement("b", row.label),
				makeElement(
					"div",
					row.group === "threads" ? `process ${row.pid}, thread ${row.tid}` : `${number(row.n)} intervals`,
				),
			];
		const kind = this.head!.kinds[row.kind[i]!]!,
			text = this.texts[row.text[i]!]!,
			by = this.texts[row.by[i]!]!.words,
			length = row.to[i]! - row.from[i]!;
		out.push(makeElement("b", `${kind.text}, ${amount(length, "ns")}${row.flags[i]! & OPEN ? " and longer" : ""}`));
		if (text.words) out.push(makeElement("div", text.words));
		out.push(
			makeElement(
				"div",
				`${row.label}, ${amount(row.from[i]!, "ns")} after the begin` +
					(row.cpu[i] && kind.name === "running" ? `, CPU ${row.cpu[i]! - 1}` : ""),
				"muted",
			),
		);
		if (by) out.push(makeElement("div", `woken by ${by}`));
		out.push(
			makeElement(
				"div",
				`from ${sourceOf(row, i, this.head!)}${this.origin ? " of " + this.origin : ""}`,
				"muted",
			),
		);
		if (text.stack) {
			const all = text.stack.trimEnd().split("\n");
			out.push(
				makeElement(
					"pre",
					all.slice(0, lines).join("\n") + (all.length > lines ? `\n… ${all.length - lines} more` : ""),
					"stack",
				),
			);
		}
		return out;
	}

	private hover(pick: Pick | null, x: number, y: number): void {
		this.tip.hidden = !pick;
		if (!pick) return;
		replaceChildren(this.tip, ...this.describe(pick, TIP_LINES));
		placeTip(this.tip, x, y);
	}

	private showDetails(): void {
		const pick = this.view.picked;
		replaceChildren(
			this.details,
			...(pick
				? this.describe(pick, STACK_LINES)
				: [makeElement("div", "Click an interval; ? tells the keys.", "muted")]),
		);
		this.showSums();
	}

	private showSums(): void {
		const pick = this.view.picked;
		if (!pick || !this.head) {
			replaceChildren(this.sums, makeElement("div", "What the time of the chosen row went to.", "muted"));
			return;
		}
		const { spent, longest } = sumUp(this.rows[pick.row]!, this.head!.kinds, this.view.from, this.view.to),
			list = makeElement("ul", "", "sums");
		const all = sum(spent) || 1,
			order = [...spent.keys()].filter((k) => spent[k]! > 0).sort((a, b) => spent[b]! - spent[a]!);
		for (const k of order) {
			const item = makeElement("li");
			item.append(
				makeDot(this.view.colour(k)),
				makeElement("span", this.head!.kinds[k]!.text),
				`${amount(spent[k]!, "ns")} ${percent(spent[k]! / all)}`,
			);
			list.append(item);
		}
		replaceChildren(
			this.sums,
			makeElement(
				"div",
				`${this.rows[pick.row]!.label}, of ${amount(this.view.to - this.view.from, "ns")} that are seen`,
				"muted",
			),
			list,
			...(longest ? [makeElement("div", `longest wait ${amount(longest, "ns")}`, "muted")] : []),
		);
	}

	private toggleTable(): void {
		this.tableBox.hidden = !this.tableBox.hidden;
		this.map.hidden = !this.tableBox.hidden;
		if (!this.tableBox.hidden) this.fillTable();
	}

	private fillTable(): void {
		const kinds = this.head!.kinds,
			view = this.view,
			time = (ns: number) => numberCell(ns ? amount(ns, "ns") : "");
		const all = this.rows.map((row) => sumUp(row, kinds, view.from, view.to)),
			used = kinds.map((_, k) => k).filter((k) => all.some((sums) => sums.spent[k]! > 0));
		const { table, body } = makeTable("", [
			["Row"],
			...used.map((k) => [kinds[k]!.name, "n"] as const),
			["longest wait", "n"],
		]);
		for (const i of view.visible)
			addRow(
				body,
				this.origin,
				this.rows[i]!.label,
				...used.map((k) => time(all[i]!.spent[k]!)),
				time(all[i]!.longest),
			);
		replaceChildren(this.tableBox, table);
	}

	private reset(): void {
		this.find("");
		this.view.pick(null);
		this.view.zoom(0, this.head?.length ?? 1);
		if (!this.tableBox.hidden) this.toggleTable();
	}

	private moveRow(by: number): void {
		const all = this.view.visible,
			at = this.view.picked ? all.indexOf(this.view.picked.row) : -1;
		const row = all[clamp(at + by, 0, all.length - 1)];
		if (row !== undefined) this.view.pick({ row, item: -1 });
	}

	private moveItem(by: number): void {
		const pick = this.view.picked,
			row = pick ? this.rows[pick.row]! : null;
		if (pick && row && row.n)
			this.view.pick({ row: pick.row, item: clamp(pick.item < 0 ? 0 : pick.item + by, 0, row.n - 1) });
	}

	/** Whether the key means something here. */
	key(event: KeyboardEvent): boolean {
		if (event.ctrlKey || event.altKey || event.metaKey || !this.head) return false;
		if (event.target === this.search) {
			if (event.key !== "Escape") return false;
			this.search.blur();
			this.reset();
			return true;
		}
		const keys: Record<string, () => void> = {
			"+": () => this.zoom(1 / ZOOM),
			"=": () => this.zoom(1 / ZOOM),
			"-": () => this.zoom(ZOOM),
			ArrowLeft: () => this.view.pan(-0.2),
			ArrowRight: () => this.view.pan(0.2),
			ArrowUp: () => this.moveRow(-1),
			ArrowDown: () => this.moveRow(1),
			n: () => this.moveItem(1),
			p: () => this.moveItem(-1),
			"/": () => this.search.focus(),
			t: () => this.toggleTable(),
			Escape: () => this.reset(),
		};
		const what = keys[event.key];
		what?.();
		return what !== undefined;
	}

	/** For tests. */
	state(): object {
		const view = this.view;
		return {
			range: [view.from, view.to],
			picked: view.picked,
			visible: view.visible,
			drawn: view.drawn,
			items: this.head?.items ?? 0,
			rows: this.rows.map((row) => row.label),
			groups: this.rows.map((shownRow) => shownRow.group),
			found: this.found.textContent,
		};
	}
}
