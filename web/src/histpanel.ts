// SPDX-License-Identifier: Apache-2.0
// Distributions one over the other, with their percentiles: in the page of `dwell hist -o FILE.html` and in that of `dwell serve`.
import { amount, number, percent } from "./amount.js";
import { prepare } from "./canvas.js";
import { addRow, fill, Group, grow, make, makeButton, makeDot, makeGroup, makeTable, named, numeric, on, placeTip } from "./dom.js";
import { tick } from "./heat.js";
import { clamp, sum } from "./short.js";
import { cssColour, cssFont, onTheme } from "./theme.js";

/** See src/view/picture/hist_html.c. */
interface Series {
	name: string;
	colour: string;
	count: number;
	quantiles: { value: number | null, error: number | null, ratio: number | null }[];
	share: number[];
	most: number;
	at: number;
	chance: boolean;
}

export interface HistHead {
	title: string;
	unit: string;
	linear: boolean;
	notes: string; // of keys that are left out, and of what was lost
	per: string; // of what a row is: "power of two"
	names: string[];
	edges: number[];
	series: Series[];
}

const LEFT = 64, RIGHT = 10, TOP = 22, BOTTOM = 24;
export type Shows = "share" | "sum";
const STEPS = 5; // of the axis of shares, at most

export class HistPanel {
	readonly element = make("div", "", "panel");
	readonly bar = make("div", "", "bar");
	private readonly plot = make("div", "", "plot");
	readonly canvas = make("canvas");
	private readonly ctx = this.canvas.getContext("2d")!;
	private readonly tip = make("div", "", "tip");
	private readonly table = make("div", "", "wide");
	private readonly choice: Group;
	private readonly off = new Set<number>();
	private head: HistHead = { title: "", unit: "", linear: true, notes: "", per: "", names: [], edges: [0, 1], series: [] };
	private shows: Shows = "share";
	private row = -1;
	/** What the values were read from, for whoever asks. */
	origin = "";
	onChange: () => void = () => {};

	constructor() {
		const stage = make("div", "", "stage"), box = make("div", "", "view");
		this.choice = makeGroup([["share", "shares", "how many values are in each row (s)"], ["sum", "not larger", "how many values are not larger (s)"]] as [Shows, string, string][],
			(v) => v === this.shows, (v) => this.showAs(v));
		this.bar.append(this.choice.element, grow());
		this.plot.append(this.canvas);
		box.append(this.plot);
		stage.append(box);
		this.tip.hidden = true;
		this.element.append(this.bar, stage, this.table, this.tip);
		named(this.canvas, "img", "");
		on(this.canvas, "mousemove", (e) => this.hover(e));
		on(this.canvas, "mouseleave", () => this.choose(-1));
		new ResizeObserver(() => this.draw()).observe(this.plot);
		onTheme(() => this.draw());
	}

	/** Shows other distributions. */
	show(head: HistHead): void {
		this.head = head;
		this.off.clear();
		this.choose(-1);
		this.canvas.ariaLabel = head.title + ". The table has percentiles as text.";
		this.makeTable();
		this.draw();
	}

	summary(): string {
		return `${number(sum(this.head.series.map((s) => s.count)))} values` + (this.head.notes && ` · ${this.head.notes}`);
	}

	get shown(): Shows { return this.shows; }

	private get width(): number { return Math.max(1, this.plot.clientWidth - LEFT - RIGHT); }
	private get height(): number { return Math.max(1, this.plot.clientHeight - TOP - BOTTOM); }
	private get rows(): number { return this.head.edges.length - 1; }
	private x(row: number): number { return LEFT + (this.width * row) / this.rows; }

	showAs(what: Shows): void {
		this.shows = what;
		this.choice.update();
		this.makeTable();
		this.draw();
		this.onChange();
	}

	private toggle(i: number): void {
		if (!this.off.delete(i))
			this.off.add(i);
		this.makeTable();
		this.draw();
	}

	/** Heights of the rows of a series: shares, or their sums. */
	private values(s: Series): number[] {
		let sum = 0;
		return this.shows === "share" ? s.share : s.share.map((v) => Math.min(1, (sum += v)));
	}

	private draw(): void {
		const c = this.ctx, on = this.head.series.filter((_, i) => !this.off.has(i)), all = on.map((s) => this.values(s));
		if (!prepare(this.canvas, c, this.plot.clientWidth, this.plot.clientHeight))
			return;
		const largest = this.shows === "sum" ? 1 : Math.max(1e-9, ...all.flat()), step = tick(largest / STEPS, ""), most = step * Math.ceil(largest / step - 1e-9);
		this.drawAxes(most, step);
		on.forEach((s, k) => {
			const bottom = TOP + this.height, y = (v: number) => TOP + this.height * (1 - v / most);
			c.beginPath();
			c.moveTo(this.x(0), bottom);
			all[k]!.forEach((v, r) => {
				if (this.shows === "share")
					c.lineTo(this.x(r), y(v));
				c.lineTo(this.x(r + 1), y(v));
			});
			c.strokeStyle = c.fillStyle = s.colour;
			c.lineWidth = 1.7;
			c.stroke();
			if (this.shows === "share") {
				c.lineTo(this.x(this.rows), bottom);
				c.globalAlpha = 0.15;
				c.fill();
				c.globalAlpha = 1;
			}
		});
		if (this.row >= 0) {
			c.fillStyle = cssColour("--text");
			c.globalAlpha = 0.1;
			c.fillRect(this.x(this.row), TOP, this.x(this.row + 1) - this.x(this.row), this.height);
			c.globalAlpha = 1;
		}
	}

	private drawAxes(most: number, step: number): void {
		const c = this.ctx, { edges, unit, linear } = this.head, line = cssColour("--line"), muted = cssColour("--muted");
		c.font = cssFont();
		c.textBaseline = "middle";
		c.textAlign = "right";
		for (let v = 0; v <= most * (1 + 1e-9); v += step) {
			const y = TOP + this.height * (1 - v / most);
			c.fillStyle = line;
			c.fillRect(LEFT, Math.round(y), this.width, 1);
			c.fillStyle = muted;
			c.fillText((100 * v).toFixed(Math.max(0, -Math.floor(Math.log10(100 * step) + 1e-9))) + " %", LEFT - 8, y);
		}
		c.textAlign = "left";
		c.fillText(this.shows === "share" ? `share of the values per ${this.head.per}` : "share of the values that is not larger", LEFT, TOP / 2);
		c.textAlign = "center";
		let last = -100;
		edges.forEach((v, r) => {
			const here = linear || this.rows <= 24 || Number.isInteger(Math.log2(v)), x = this.x(r);
			if (!here || x - last < 70 || x > LEFT + this.width - 16)
				return;
			last = x;
			c.fillStyle = line;
			c.fillRect(Math.round(x), TOP, 1, this.height + 4);
			c.fillStyle = muted;
			c.fillText(amount(v, unit), x, TOP + this.height + 14);
		});
	}

	private makeTable(): void {
		const h = this.head, several = h.series.length > 1;
		const { table, body } = makeTable("series", [["Distribution"], ["values", "n"], ...h.names.map((n) => [n, "n"] as const), ...(several ? [["differs most from the first"] as const] : [])]);
		h.series.forEach((s, i) => {
			const name = make("td"), b = makeButton("", "show or hide", () => this.toggle(i)), row = addRow(body, this.origin, name, numeric(number(s.count)));
			b.append(makeDot(s.colour), s.name);
			b.ariaPressed = String(!this.off.has(i));
			name.append(b);
			for (const q of s.quantiles) {
				const td = numeric(q.value === null ? "" : (q.error === null ? "> " : "") + amount(q.value, h.unit));
				const note = (q.error ? ` ± ${(100 * q.error).toFixed(1)} %` : "") + (i && q.ratio ? ` × ${q.ratio.toFixed(2)}` : "");
				td.append(make("small", note));
				row.append(td);
			}
			if (several)
				row.append(make("td", i ? `${percent(Math.abs(s.most))} ${s.most < 0 ? "fewer" : "more"} below ${amount(s.at, h.unit)}${s.chance ? ", as chance gives" : ""}` : ""));
		});
		fill(this.table, table);
	}

	private choose(row: number): void {
		this.tip.hidden = row < 0;
		if (row === this.row)
			return;
		this.row = row;
		this.draw();
	}

	private hover(e: MouseEvent): void {
		const h = this.head, x = e.clientX - this.canvas.getBoundingClientRect().x, r = Math.floor(((x - LEFT) / this.width) * this.rows);
		this.choose(r >= 0 && r < this.rows ? r : -1);
		if (this.row < 0)
			return;
		fill(this.tip, make("b", `${amount(h.edges[r]!, h.unit)} to ${amount(h.edges[r + 1]!, h.unit)}`));
		h.series.forEach((s, i) => {
			if (!this.off.has(i))
				this.tip.append(make("div", `${s.name}: ${percent(s.share[r]!)} (${number(s.share[r]! * s.count)}), ${
					percent(Math.min(1, sum(s.share.slice(0, r + 1))))} are not larger`));
		});
		if (this.origin)
			this.tip.append(make("div", this.origin, "muted"));
		placeTip(this.tip, e.clientX, e.clientY);
	}

	/** Whether the key means something here. */
	key(e: KeyboardEvent): boolean {
		if (e.ctrlKey || e.altKey || e.metaKey)
			return false;
		if (e.key === "s")
			this.showAs(this.shows === "share" ? "sum" : "share");
		else if (e.key === "ArrowRight" || e.key === "ArrowLeft")
			this.choose(clamp(this.row + (e.key === "ArrowRight" ? 1 : -1), 0, this.rows - 1));
		else
			return false;
		return true;
	}

	/** For tests. */
	state(): object {
		return { shows: this.shows, off: [...this.off], row: this.row, rows: this.rows, series: this.head.series, edges: this.head.edges, x: this.x(this.row + 0.5) };
	}
}
