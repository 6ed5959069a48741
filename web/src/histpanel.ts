// SPDX-License-Identifier: Apache-2.0
// Distributions one over the other, with their percentiles: in the page of `dwell hist -o FILE.html` and in that of
// `dwell serve`. It draws what histmodel.ts says.
import { number } from "./amount.js";
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
} from "./element.js";
import { Tip } from "./controls.js";
import { HistHead, HistModel, Series, shareText, Shows } from "./histmodel.js";
import { cssColour, cssFont, onTheme } from "./theme.js";

export type { HistHead, Shows } from "./histmodel.js";

const LEFT = 64,
	RIGHT = 10,
	TOP = 22,
	BOTTOM = 24;

export class HistPanel {
	readonly element = makeElement("div", "", "panel");
	readonly bar = makeElement("div", "", "bar");
	private readonly plot = makeElement("div", "", "plot");
	readonly canvas = makeElement("canvas");
	private readonly context = this.canvas.getContext("2d")!;
	private readonly tip = new Tip();
	private readonly table = makeElement("div", "", "wide");
	private readonly choice: Group;
	private readonly model = new HistModel();
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
			(shows) => shows === this.model.shows,
			(shows) => this.showAs(shows),
		);
		this.bar.append(this.choice.element, makeSpacer());
		this.plot.append(this.canvas);
		box.append(this.plot);
		stage.append(box);
		this.element.append(this.bar, stage, this.table, this.tip.element);
		makeFocusable(this.canvas, "img", "");
		listen(this.canvas, "mousemove", (event) => this.hover(event));
		listen(this.canvas, "mouseleave", () => this.choose(-1, 0, 0));
		new ResizeObserver(() => this.draw()).observe(this.plot);
		onTheme(() => this.draw());
	}

	/** Shows other distributions. */
	show(head: HistHead): void {
		this.model.show(head);
		this.tip.hide();
		this.canvas.ariaLabel = head.title + ". The table has percentiles as text.";
		this.makeTable();
		this.draw();
	}

	summary(): string {
		return this.model.summary();
	}

	get shown(): Shows {
		return this.model.shows;
	}

	private get width(): number {
		return Math.max(1, this.plot.clientWidth - LEFT - RIGHT);
	}
	private get height(): number {
		return Math.max(1, this.plot.clientHeight - TOP - BOTTOM);
	}
	private x(row: number): number {
		return LEFT + (this.width * row) / this.model.rows;
	}
	private y(share: number, most: number): number {
		return TOP + this.height * (1 - share / most);
	}

	showAs(what: Shows): void {
		this.model.shows = what;
		this.choice.update();
		this.makeTable();
		this.draw();
		this.onChange();
	}

	private toggle(i: number): void {
		this.model.toggle(i);
		this.makeTable();
		this.draw();
	}

	private draw(): void {
		const context = this.context,
			{ row } = this.model;
		if (!prepare(this.canvas, context, this.plot.clientWidth, this.plot.clientHeight)) return;
		const { most, step } = this.model.shareAxis();
		this.drawAxes(most, step);
		this.model.drawn.forEach((series) => this.drawSeries(series, most));
		if (row >= 0) {
			context.fillStyle = cssColour("--text");
			context.globalAlpha = 0.1;
			context.fillRect(this.x(row), TOP, this.x(row + 1) - this.x(row), this.height);
			context.globalAlpha = 1;
		}
	}

	private drawSeries(series: Series, most: number): void {
		const context = this.context,
			bars = this.model.shows === "share",
			bottom = TOP + this.height;
		context.beginPath();
		context.moveTo(this.x(0), bottom);
		this.model.heights(series).forEach((height, row) => {
			const y = this.y(height, most);
			if (bars) context.lineTo(this.x(row), y);
			context.lineTo(this.x(row + 1), y);
		});
		context.strokeStyle = context.fillStyle = series.colour;
		context.lineWidth = 1.7;
		context.stroke();
		if (bars) {
			context.lineTo(this.x(this.model.rows), bottom);
			context.globalAlpha = 0.15;
			context.fill();
			context.globalAlpha = 1;
		}
	}

	private drawAxes(most: number, step: number): void {
		const context = this.context,
			line = cssColour("--line"),
			muted = cssColour("--muted");
		context.font = cssFont();
		context.textBaseline = "middle";
		context.textAlign = "right";
		for (let value = 0; value <= most * (1 + 1e-9); value += step) {
			const y = this.y(value, most);
			context.fillStyle = line;
			context.fillRect(LEFT, Math.round(y), this.width, 1);
			context.fillStyle = muted;
			context.fillText(shareText(value, step), LEFT - 8, y);
		}
		context.textAlign = "left";
		context.fillText(
			this.model.shows === "share"
				? `share of the values per ${this.model.head.per}`
				: "share of the values that is not larger",
			LEFT,
			TOP / 2,
		);
		context.textAlign = "center";
		for (const { x, text } of this.model.valueLabels(this.width)) {
			context.fillStyle = line;
			context.fillRect(Math.round(LEFT + x), TOP, 1, this.height + 4);
			context.fillStyle = muted;
			context.fillText(text, LEFT + x, TOP + this.height + 14);
		}
	}

	private makeTable(): void {
		const { head, off } = this.model,
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
			button.ariaPressed = String(!off.has(i));
			name.append(button);
			for (const quantile of series.quantiles) {
				const cell = numberCell(this.model.quantileText(quantile));
				cell.append(makeElement("small", this.model.quantileNote(quantile, i)));
				row.append(cell);
			}
			if (several) row.append(makeElement("td", i ? this.model.differenceText(series) : ""));
		});
		replaceChildren(this.table, table);
	}

	/** x, y: where in the window the row is told. */
	private choose(row: number, x: number, y: number): void {
		if (this.model.choose(row)) this.draw();
		this.tell(x, y);
	}

	private tell(x: number, y: number): void {
		if (this.model.row < 0) {
			this.tip.hide();
			return;
		}
		const { range, lines } = this.model.rowText(),
			origin = this.origin ? [makeElement("div", this.origin, "muted")] : [];
		this.tip.show(x, y, makeElement("b", range), ...lines.map((line) => makeElement("div", line)), ...origin);
	}

	private hover(event: MouseEvent): void {
		const x = event.clientX - this.canvas.getBoundingClientRect().x;
		this.choose(Math.floor(((x - LEFT) / this.width) * this.model.rows), event.clientX, event.clientY);
	}

	/** Chooses the row beside the chosen one, and tells it where it is. */
	private move(by: number): void {
		const box = this.canvas.getBoundingClientRect();
		if (this.model.move(by)) this.draw();
		this.tell(box.x + this.x(this.model.row + 0.5), box.y + TOP);
	}

	/** Whether the key means something here. */
	key(event: KeyboardEvent): boolean {
		if (event.ctrlKey || event.altKey || event.metaKey) return false;
		if (event.key === "s") this.showAs(this.model.shows === "share" ? "sum" : "share");
		else if (event.key === "ArrowRight") this.move(1);
		else if (event.key === "ArrowLeft") this.move(-1);
		else return false;
		return true;
	}

	/** For tests. */
	state(): object {
		const { shows, off, row, rows, head } = this.model;
		return { shows, off: [...off], row, rows, series: head.series, edges: head.edges, x: this.x(row + 0.5) };
	}
}
