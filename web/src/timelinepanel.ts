// SPDX-License-Identifier: Apache-2.0
// Shows a timeline with all that belongs to it: search, legend, table, what an interval is and what the time of its row
// went to. It stands in the page of `dwell timeline -o FILE.html` and in that of `dwell serve`. What it says is
// timelinestate.ts's, what is drawn timeline.ts's.
import { amount, percent } from "./amount.js";
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
} from "./element.js";
import { makeLegendEntry, makeSearch, Tip } from "./controls.js";
import { isDark, onTheme } from "./theme.js";
import { TimelineView } from "./timeline.js";
import { kindColour, legendColour } from "./timelinecolour.js";
import { Row, TimelineHead } from "./timelinemodel.js";
import { Pick, TimelineState } from "./timelinestate.js";

const SEARCH = "Search threads, causes, functions",
	STACK_LINES = 40,
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
	private readonly tip = new Tip();
	private readonly details = makeElement("div");
	private readonly sums = makeElement("div");
	private readonly legend = makeElement("div", "", "legend");
	private readonly search = makeSearch(SEARCH, SEARCH, (text) => this.find(text));
	private readonly found = makeElement("span", "", "muted");
	private readonly model = new TimelineState();
	/** What is seen of it, or what is searched for, has changed. */
	onChange: () => void = () => {};

	constructor() {
		const stage = makeElement("div", "", "stage"),
			box = makeElement("div", "", "view"),
			beside = makeElement("div", "", "beside");
		this.tableBox.hidden = true;
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
		this.element.append(this.bar, this.legend, stage, this.tip.element);
		onTheme(() => this.showLegend());
	}

	get head(): TimelineHead | null {
		return this.model.head;
	}
	get rows(): readonly Row[] {
		return this.model.rows;
	}
	/** What the intervals were made from, in words. */
	set origin(words: string) {
		this.model.origin = words;
	}

	/** Shows other data; what was searched for is forgotten. */
	show(head: TimelineHead, texts: Uint8Array, intervals: Uint8Array): void {
		this.model.show(head, texts, intervals);
		this.search.value = this.found.textContent = "";
		this.tip.hide();
		this.view.canvas.ariaLabel = head.title + ". The table has shares as text.";
		this.view.show(head, this.model.rows);
		this.showLegend();
		this.showDetails();
		if (!this.tableBox.hidden) this.fillTable();
	}

	/** How much there is, and what is missing. */
	summary(): string {
		return this.model.summary();
	}

	private fillBar(): void {
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
		replaceChildren(
			this.legend,
			...this.model
				.usedKinds()
				.map((kind) => makeLegendEntry(legendColour(head.kinds[kind]!, isDark()), head.kinds[kind]!.text)),
		);
	}

	/** Brings out what has this text; "": everything. */
	find(text: string): void {
		const finding = this.model.search(text);
		if (this.search.value !== text) this.search.value = text;
		this.found.textContent = finding.text;
		this.view.bringOut(finding);
		this.onChange();
	}

	/** An interval in words. */
	private describe(pick: Pick, lines: number): HTMLElement[] {
		const { title, lines: words, stack } = this.model.describe(pick, lines);
		return [
			makeElement("b", title),
			...words.map(({ text, muted }) => makeElement("div", text, muted ? "muted" : "")),
			...(stack ? [makeElement("pre", stack, "stack")] : []),
		];
	}

	private hover(pick: Pick | null, x: number, y: number): void {
		if (pick) this.tip.show(x, y, ...this.describe(pick, TIP_LINES));
		else this.tip.hide();
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
		const { kinds, longest } = this.model.spent(pick.row, this.view.from, this.view.to),
			list = makeElement("ul", "", "sums");
		for (const { kind, ns, part } of kinds) {
			const item = makeElement("li");
			item.append(
				makeDot(kindColour(this.head.kinds[kind]!, isDark())),
				makeElement("span", this.head.kinds[kind]!.text),
				`${amount(ns, "ns")} ${percent(part)}`,
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
		const { sums, kinds } = this.model.table(this.view.from, this.view.to),
			time = (ns: number) => numberCell(ns ? amount(ns, "ns") : "");
		const { table, body } = makeTable("", [
			["Row"],
			...kinds.map((kind) => [this.head!.kinds[kind]!.name, "n"] as const),
			["longest wait", "n"],
		]);
		for (const i of this.view.visible)
			addRow(
				body,
				this.model.origin,
				this.rows[i]!.label,
				...kinds.map((kind) => time(sums[i]!.spent[kind]!)),
				time(sums[i]!.longest),
			);
		replaceChildren(this.tableBox, table);
	}

	private reset(): void {
		this.find("");
		this.view.pick(null);
		this.view.zoom(0, this.head?.length ?? 1);
		if (!this.tableBox.hidden) this.toggleTable();
	}

	private moveTo(pick: Pick | null): void {
		if (pick) this.view.pick(pick);
	}

	private moveRow(by: number): void {
		this.moveTo(this.model.rowBeside(this.view.visible, this.view.picked, by));
	}

	private moveItem(by: number): void {
		this.moveTo(this.model.itemBeside(this.view.picked, by));
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
