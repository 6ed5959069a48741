// SPDX-License-Identifier: Apache-2.0
// The page of one heat map: `dwell heat -o FILE.html`. Everything it shows is in the file.
import { amount, number, percent } from "./amount.js";
import { fill, Group, grow, make, makeButton, makeGroup, makeSection, on, placeTip } from "./dom.js";
import { Cell, gradient, HeatView, timeText } from "./heat.js";
import { decodeHeat, HeatHead, Plane, Scale, Selecting } from "./heatmodel.js";
import { fileHead, filePart, startPage } from "./standalone.js";
import { isDark, onTheme, toggleTheme } from "./theme.js";

class Page {
	private readonly view: HeatView;
	private readonly map = make("div", "", "map");
	private readonly tableBox = make("div", "", "table");
	private readonly tip = make("div", "", "tip");
	private readonly keys = make("ul", "", "keys");
	private readonly details = make("div");
	private readonly ramp = make("span", "", "ramp");
	private readonly groups: Group[] = [];

	constructor(private readonly head: HeatHead, private readonly planes: Plane[], app: HTMLElement) {
		this.view = new HeatView(this.map, head, planes);
		const top = make("header", "", "head"), main = make("div", "", "stage"), box = make("div", "", "view"), side = make("div", "", "beside");
		top.append(make("h1", head.title), make("span", this.summary(), "muted"));
		this.tableBox.hidden = this.tip.hidden = true;
		box.append(this.map, this.tableBox);
		if (planes.length > 1)
			side.append(makeSection("Keys", this.keys));
		side.append(makeSection("Cell", this.details));
		main.append(box, side);
		fill(app, top, this.bar(), main, this.tip);
		this.view.canvas.role = "img";
		this.view.canvas.ariaLabel = head.title + ". The table has percentiles as text.";
		this.view.onCell = (c, x, y) => this.hover(c, x, y);
		this.view.onPick = (c) => this.showDetails(c);
		onTheme(() => this.showRamp());
		head.chosen?.forEach((k) => this.view.selected.add(k));
		if (head.chosen?.length)
			this.view.recount();
		on(document, "keydown", (e) => this.key(e));
		this.update();
	}

	/** A count of cells, with its unit. */
	private much(n: number): string {
		return this.head.counted ? amount(n, this.head.counted) : `${number(n)} event${n === 1 ? "" : "s"}`;
	}

	private bare(n: number): string {
		return this.head.counted ? amount(n, this.head.counted) : number(n);
	}

	private summary(): string {
		const h = this.head, lost = h.lost.reduce((a, b) => a + b, 0);
		return `${this.much(h.total)} · columns of ${amount(h.step * 1e6, "ns")}` + (lost ? ` · ${number(lost)} lost` : "") +
			(h.late ? " · by the time of reading: an event may be one column late" : "");
	}

	private bar(): HTMLElement {
		const bar = make("div", "", "bar");
		bar.append(this.group([["rank", "rank", "colours by rank: faint patterns show"], ["log", "log", "colours by the logarithm of the count"],
			["linear", "linear", "colours by the count"]] as [Scale, string, string][], (s) => this.view.scale === s, (s) => {
			this.view.scale = s;
			this.repaint();
		}));
		if (this.planes.length > 1)
			bar.append(this.group([["highlight", "highlight", "selected keys in their colours over the rest"],
				["isolate", "isolate", "only selected keys"], ["exclude", "exclude", "all but selected keys"]] as [Selecting, string, string][],
			(s) => this.view.selecting === s, (s) => {
				this.view.selecting = s;
				this.recount();
			}));
		bar.append(make("span", "few"), this.ramp, make("span", "many"));
		if (this.head.p50.some((v) => v !== null))
			bar.append(make("span", "", "line"), "median", make("span", "", "line dash"), "99 %", make("span", "", "line dots"), "average");
		bar.append(grow(), makeButton("Table", "percentiles as text (t)", () => this.toggleTable()),
			makeButton("Reset", "show everything (Escape)", () => this.reset()), makeButton("◐", "dark or light (d)", toggleTheme));
		return bar;
	}

	private group<T>(all: [T, string, string][], on: (v: T) => boolean, set: (v: T) => void): HTMLElement {
		const g = makeGroup(all, on, set);
		this.groups.push(g);
		return g.element;
	}

	private recount(): void {
		this.view.recount();
		this.update();
	}

	private repaint(): void {
		this.view.paint();
		this.update();
	}

	private update(): void {
		this.groups.forEach((g) => g.update());
		this.showRamp();
		fill(this.keys, ...this.planes.map((p, k) => {
			const li = make("li"), b = makeButton("", p.key, () => this.toggleKey(k)), i = make("i"), chosen = this.view.selected.has(k);
			if (chosen && this.view.selecting !== "exclude")
				i.style.background = `rgb(${this.view.keyColour(k).join(" ")})`;
			b.append(i, make("span", (chosen && this.view.selecting === "exclude" ? "− " : "") + p.key), percent(p.total / this.head.total));
			b.ariaPressed = String(chosen);
			li.append(b);
			return li;
		}));
		this.showDetails(this.view.picked);
	}

	private toggleKey(k: number): void {
		if (!this.view.selected.delete(k))
			this.view.selected.add(k);
		this.recount();
	}

	private showRamp(): void {
		if (this.view.selected.size && this.view.selecting !== "exclude") { // what is seen of a key's colour
			this.ramp.style.background = "linear-gradient(90deg, rgb(128 132 140 / 22%), rgb(128 132 140))";
			return;
		}
		const g = gradient(isDark()), at = (i: number) => `rgb(${g[3 * i]} ${g[3 * i + 1]} ${g[3 * i + 2]})`;
		this.ramp.style.background = `linear-gradient(90deg, ${[0, 32, 64, 96, 128, 160, 192, 224, 255].map(at).join(",")})`;
	}

	private describe(c: Cell): string[] {
		const h = this.head, whole = h.step * h.columns;
		return [`${timeText(h.begin + c.column * h.step, Math.min(whole, h.step < 1000 ? 1 : whole))} UTC`,
			`${amount(h.edges[c.row]!, h.unit)} to ${amount(h.edges[c.row + 1]!, h.unit)}`];
	}

	private hover(c: Cell | null, x: number, y: number): void {
		this.tip.hidden = !c;
		if (!c)
			return;
		const n = this.view.count(c);
		fill(this.tip, make("b", this.much(n)), ...this.describe(c).map((l) => make("div", l)));
		if (this.planes.length > 1)
			for (const { key, count } of this.view.keysOf(c).slice(0, 5))
				this.tip.append(make("div", `${this.planes[key]!.key}: ${this.bare(count)}`, "muted"));
		if (this.head.lost[c.column])
			this.tip.append(make("div", `${number(this.head.lost[c.column]!)} lost in this column`));
		for (const [i, text, n] of this.head.notes ?? [])
			if (i <= c.column && c.column < i + n)
				this.tip.append(make("div", "dwell: " + text));
		placeTip(this.tip, x, y);
	}

	private showDetails(c: Cell | null): void {
		const lines: HTMLElement[] = [];
		if (!c) {
			lines.push(make("div", "Click a cell; drag over a stretch of time to see only that.", "muted"));
		} else {
			const h = this.head, v = (x: number | null | undefined) => x === null || x === undefined ? "" : amount(x, h.unit);
			lines.push(make("b", this.much(this.view.count(c))), ...this.describe(c).map((l) => make("div", l)));
			if (this.planes.length > 1)
				lines.push(...this.view.keysOf(c).map(({ key, count }) => make("div", `${this.planes[key]!.key}: ${this.bare(count)}`)));
			if (h.p50[c.column] !== null)
				lines.push(make("div", `column: median ${v(h.p50[c.column])}, 90 % ${v(h.p90[c.column])}, 99 % ${v(h.p99[c.column])}`, "muted"));
		}
		fill(this.details, ...lines);
	}

	private toggleTable(): void {
		const h = this.head, table = make("table"), body = make("tbody"), head = make("tr"), thead = make("thead");
		this.tableBox.hidden = !this.tableBox.hidden;
		this.map.hidden = !this.tableBox.hidden;
		if (this.tableBox.hidden)
			return;
		const cell = (text: string) => make("td", text, "n"), v = (x: number | null) => x === null ? "" : amount(x, h.unit);
		head.append(make("th", "Time, UTC"), ...[h.counted ? "time" : "events", "average", "median", "90 %", "99 %", "lost"].map((t) => make("th", t, "n")));
		for (let i = 0; i < h.columns; i++) {
			let n = 0;
			for (let r = 0; r < h.rows; r++)
				n += this.view.count({ column: i, row: r });
			if (!n && !h.lost[i])
				continue;
			const tr = make("tr");
			tr.append(make("td", timeText(h.begin + i * h.step, h.step * h.columns)), cell(this.bare(n)), cell(v(h.avg[i]!)), cell(v(h.p50[i]!)),
				cell(v(h.p90[i]!)), cell(v(h.p99[i]!)), cell(h.lost[i] ? number(h.lost[i]!) : ""));
			body.append(tr);
		}
		thead.append(head);
		table.append(thead, body);
		fill(this.tableBox, table);
	}

	private reset(): void {
		this.view.selected.clear();
		this.view.pick(null);
		this.view.zoom(0, this.head.columns);
		if (!this.tableBox.hidden)
			this.toggleTable();
		this.recount();
	}

	private key(e: KeyboardEvent): void {
		const c = this.view.picked, h = this.head;
		const moves: Record<string, [number, number]> = { ArrowUp: [0, 1], ArrowDown: [0, -1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
		if (e.ctrlKey || e.altKey || e.metaKey)
			return;
		const move = moves[e.key];
		if (move)
			this.view.pick(c ? { column: Math.max(0, Math.min(h.columns - 1, c.column + move[0])),
				row: Math.max(0, Math.min(h.rows - 1, c.row + move[1])) } : { column: this.view.range[0], row: 0 });
		else if (e.key === "Escape")
			this.reset();
		else if (e.key === "t")
			this.toggleTable();
		else if (e.key === "d")
			toggleTheme();
		else
			return;
		e.preventDefault();
	}

	/** For tests. */
	state(): object {
		const v = this.view;
		return { range: v.range, picked: v.picked, selected: [...v.selected], scale: v.scale, selecting: v.selecting, painted: v.drawn,
			columns: this.head.columns, rows: this.head.rows, total: this.head.total, keys: this.head.keys };
	}
}

void startPage(async (app) => {
	const head = fileHead<HeatHead>();
	return new Page(head, decodeHeat(await filePart("cells"), head), app);
});
