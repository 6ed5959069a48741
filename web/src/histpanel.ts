// SPDX-License-Identifier: Apache-2.0
// Distributions one over the other, with their percentiles: in the page of `dwell hist -o FILE.html` and in that of
// `dwell serve`.
import { amount, number, percent } from "./amount.js";
import { prepare } from "./canvas.js";
import {
	addRow,
	replaceChildren,
	Group,
	makeSpacer,
	makeElement,
	makeButton,
	makeDot,
	makeGroup,
	makeTable,
	makeFocusable,
	numberCell,
	listen,
	placeTip,
} from "./element.js";
import { tick } from "./ticks.js";
import { clamp, sum } from "./math.js";
import { cssColour, cssFont, onTheme } from "./theme.js";

/** See src/view/picture/hist_html.c. */
interface Series {
	name: string;
	colour: string;
	count: number;
	quantiles: { value: number | null; error: number | null; ratio: number | null }[];
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

const LEFT = 64,
	RIGHT = 10,
	TOP = 22,
	BOTTOM = 24;
export type Shows = "share" | "sum";
const STEPS = 5; // of the axis of shares, at most

export class HistPanel {
	readonly element = makeElement("div", "", "panel");
	readonly bar = makeElement("div", "", "bar");
	private readonly plot = makeElement("div", "", "plot");
	readonly canvas = makeElement("canvas");
	private readonly context = this.canvas.getContext("2d")!;
	private readonly tip = makeElement("div", "", "tip");
	private readonly table = makeElement("div", "", "wide");
	private readonly choice: Group;
	private readonly off = new Set<number>();
	private head: HistHead = {
		title: "",
		unit: "",
		linear: true,
		notes: "",
		per: "",
		names: [],
		edges: [0, 1],
		series: [],
	};
	private shows: Shows = "share";
	private row = -1;
	/** What the values were read from, in words. */
	origin = "";
	onChange: () => void = () => {};

	constructor() {
		const stage = makeElement("div", "", "stage"),
			box = makeElement("div", "", "view");
		this.choice = makeGroup(
			[
				["share", "shares", "how many values are in each row (s)"],
				["sum", "not larger", "how many values are not larger (s)"],
			] as [Shows, string, string][],
			(shows) => shows === this.shows,
			(shows) => this.showAs(shows),
		);
		this.bar.append(this.choice.element, makeSpacer());
		this.plot.append(this.canvas);
		box.append(this.plot);
		stage.append(box);
		this.tip.hidden = true;
		this.element.append(this.bar, stage, this.table, this.tip);
		makeFocusable(this.canvas, "img", "");
		listen(this.canvas, "mousemove", (event) => this.hover(event));
		listen(this.canvas, "mouseleave", () => this.choose(-1));
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
		return (
			`${number(sum(this.head.series.map((series) => series.count)))} values` +
			(this.head.notes && ` · ${this.head.notes}`)
		);
	}

	get shown(): Shows {
		return this.shows;
	}

	private get width(): number {
		return Math.max(1, this.plot.clientWidth - LEFT - RIGHT);
	}
	private get height(): number {
		return Math.max(1, this.plot.clientHeight - TOP - BOTTOM);
	}
	private get rows(): number {
		return this.head.edges.length - 1;
	}
	private x(row: number): number {
		return LEFT + (this.width * row) / this.rows;
	}

	showAs(what: Shows): void {
		this.shows = what;
		this.choice.update();
		this.makeTable();
		this.draw();
		this.onChange();
	}

	private toggle(i: number): void {
		if (!this.off.delete(i)) this.off.add(i);
		this.makeTable();
		this.draw();
	}

	/** Heights of the rows of a series: shares, or their sums. */
	private values(series: Series): number[] {
		let total = 0;
		return this.shows === "share" ? series.share : series.share.map((value) => Math.min(1, (total += value)));
	}

	private draw(): void {
		const context = this.context,
			on = this.head.series.filter((_, i) => !this.off.has(i)),
			all = on.map((series) => this.values(series));
		if (!prepare(this.canvas, context, this.plot.clientWidth, this.plot.clientHeight)) return;
		const largest = this.shows === "sum" ? 1 : Math.max(1e-9, ...all.flat()),
			step = tick(largest / STEPS, ""),
			most = step * Math.ceil(largest / step - 1e-9);
		this.drawAxes(most, step);
		on.forEach((one, k) => {
			const bottom = TOP + this.height,
				y = (value: number) => TOP + this.height * (1 - value / most);
			context.beginPath();
			context.moveTo(this.x(0), bottom);
			all[k]!.forEach((amountOf, row) => {
				if (this.shows === "share") context.lineTo(this.x(row), y(amountOf));
				context.lineTo(this.x(row + 1), y(amountOf));
			});
			context.strokeStyle = context.fillStyle = one.colour;
			context.lineWidth = 1.7;
			context.stroke();
			if (this.shows === "share") {
				context.lineTo(this.x(this.rows), bottom);
				context.globalAlpha = 0.15;
				context.fill();
				context.globalAlpha = 1;
			}
		});
		if (this.row >= 0) {
			context.fillStyle = cssColour("--text");
			context.globalAlpha = 0.1;
			context.fillRect(this.x(this.row), TOP, this.x(this.row + 1) - this.x(this.row), this.height);
			context.globalAlpha = 1;
		}
	}

	private drawAxes(most: number, step: number): void {
		const context = this.context,
			{ edges, unit, linear } = this.head,
			line = cssColour("--line"),
			muted = cssColour("--muted");
		context.font = cssFont();
		context.textBaseline = "middle";
		context.textAlign = "right";
		for (let value = 0; value <= most * (1 + 1e-9); value += step) {
			const y = TOP + this.height * (1 - value / most);
			context.fillStyle = line;
			context.fillRect(LEFT, Math.round(y), this.width, 1);
			context.fillStyle = muted;
			context.fillText(
				(100 * value).toFixed(Math.max(0, -Math.floor(Math.log10(100 * step) + 1e-9))) + " %",
				LEFT - 8,
				y,
			);
		}
		context.textAlign = "left";
		context.fillText(
			this.shows === "share"
				? `share of the values per ${this.head.per}`
				: "share of the values that is not larger",
			LEFT,
			TOP / 2,
		);
		context.textAlign = "center";
		let last = -100;
		edges.forEach((amountOf, row) => {
			const here = linear || this.rows <= 24 || Number.isInteger(Math.log2(amountOf)),
				x = this.x(row);
			if (!here || x - last < 70 || x > LEFT + this.width - 16) return;
			last = x;
			context.fillStyle = line;
			context.fillRect(Math.round(x), TOP, 1, this.height + 4);
			context.fillStyle = muted;
			context.fillText(amount(amountOf, unit), x, TOP + this.height + 14);
		});
	}

	private makeTable(): void {
		const head = this.head,
			several = head.series.length > 1;
		const { table, body } = makeTable("series", [
			["Distribution"],
			["values", "n"],
			...head.names.map((name) => [name, "n"] as const),
			...(several ? [["differs most from the first"] as const] : []),
		]);
		head.series.forEach((series, i) => {
			const name = makeElement("td"),
				button = makeButton("", "show or hide", () => this.toggle(i)),
				row = addRow(body, this.origin, name, numberCell(number(series.count)));
			button.append(makeDot(series.colour), series.name);
			button.ariaPressed = String(!this.off.has(i));
			name.append(button);
			for (const quantile of series.quantiles) {
				const cell = numberCell(
					quantile.value === null
						? ""
						: (quantile.error === null ? "> " : "") + amount(quantile.value, head.unit),
				);
				const note =
					(quantile.error ? ` ± ${(100 * quantile.error).toFixed(1)} %` : "") +
					(i && quantile.ratio ? ` × ${quantile.ratio.toFixed(2)}` : "");
				cell.append(makeElement("small", note));
				row.append(cell);
			}
			if (several) row.append(makeElement("td", i ? this.differenceOf(series) : ""));
		});
		replaceChildren(this.table, table);
	}

	/** Where a series differs most from the first one. */
	private differenceOf({ most, at, chance }: Series): string {
		const below = `${most < 0 ? "fewer" : "more"} below ${amount(at, this.head.unit)}`;
		return `${percent(Math.abs(most))} ${below}${chance ? ", as chance gives" : ""}`;
	}

	private choose(row: number): void {
		this.tip.hidden = row < 0;
		if (row === this.row) return;
		this.row = row;
		this.draw();
	}

	private hover(event: MouseEvent): void {
		const head = this.head,
			x = event.clientX - this.canvas.getBoundingClientRect().x,
			row = Math.floor(((x - LEFT) / this.width) * this.rows);
		this.choose(row >= 0 && row < this.rows ? row : -1);
		if (this.row < 0) return;
		replaceChildren(
			this.tip,
			makeElement("b", `${amount(head.edges[row]!, head.unit)} to ${amount(head.edges[row + 1]!, head.unit)}`),
		);
		head.series.forEach((series, i) => {
			if (!this.off.has(i))
				this.tip.append(
					makeElement(
						"div",
						`${series.name}: ${percent(series.share[row]!)} (${number(series.share[row]! * series.count)}), ${percent(
							Math.min(1, sum(series.share.slice(0, row + 1))),
						)} are not larger`,
					),
				);
		});
		if (this.origin) this.tip.append(makeElement("div", this.origin, "muted"));
		placeTip(this.tip, event.clientX, event.clientY);
	}

	/** Whether the key means something here. */
	key(event: KeyboardEvent): boolean {
		if (event.ctrlKey || event.altKey || event.metaKey) return false;
		if (event.key === "s") this.showAs(this.shows === "share" ? "sum" : "share");
		else if (event.key === "ArrowRight" || event.key === "ArrowLeft")
			this.choose(clamp(this.row + (event.key === "ArrowRight" ? 1 : -1), 0, this.rows - 1));
		else return false;
		return true;
	}

	/** For tests. */
	state(): object {
		return {
			shows: this.shows,
			off: [...this.off],
			row: this.row,
			rows: this.rows,
			series: this.head.series,
			edges: this.head.edges,
			x: this.x(this.row + 0.5),
		};
	}
}
