// SPDX-License-Identifier: Apache-2.0
// The heat map of one tracker in the live view. Colours by rank: the share of the cells that are not fuller.
import { clampRow, COLUMNS, HeatData, Range, rowHeight, rowRange, ROWS } from "./heatdata.js";
import { amount, number } from "../amount.js";
import { prepare } from "../canvas.js";
import { listen, makeElement, makeFocusable } from "../element.js";
import { gradient } from "../heatcolour.js";
import { countUpTo } from "../heatmodel.js";
import { rgbText } from "../keycolour.js";
import { clamp } from "../math.js";
import { cssColour, isDark, onTheme } from "../theme.js";

const HATCH = 6; // px between lines
const OVERLAP = 0.3; // px, so that no line is between neighbours
const TICKS = [
	[1e3, "1 us"],
	[1e6, "1 ms"],
	[1e9, "1 s"],
] as const;
const ARROWS: Record<string, readonly [number, number]> = {
	ArrowLeft: [-1, 0],
	ArrowRight: [1, 0],
	ArrowUp: [0, 1],
	ArrowDown: [0, -1],
};

interface Point {
	second: number;
	row: number;
}

export class HeatStrip {
	readonly element = makeElement("div");
	readonly canvas = makeElement("canvas");
	range: Range | null = null;
	/** The newest second that is shown; the same for all strips of a page. */
	now = 0;
	/** Where the numbers come from. */
	origin = "";
	/** Why a second was not measured; "": it was. */
	gap: (second: number) => string = () => "";
	onRange: (range: Range | null) => void = () => {};
	private readonly context = this.canvas.getContext("2d")!;
	private colours: string[] = [];
	private dragBegin: Point | null = null;

	constructor(
		readonly data: HeatData,
		name: string,
		private readonly height = 78,
	) {
		makeFocusable(this.canvas, "img", `Heat map of delays: ${name}`);
		this.element.style.height = `${height}px`;
		this.element.append(this.canvas);
		onTheme(() => {
			this.colours = [];
			this.draw();
		});
		new ResizeObserver(() => this.draw()).observe(this.element);
		this.listen();
	}

	private listen(): void {
		const { canvas } = this;
		listen(canvas, "pointerdown", (event) => {
			const point = this.pointOf(event);
			this.dragBegin = point;
			canvas.setPointerCapture(event.pointerId);
			this.select(point, point);
		});
		listen(canvas, "pointermove", (event) => {
			const point = this.pointOf(event);
			if (this.dragBegin) this.select(this.dragBegin, point);
			else this.describe(point);
		});
		listen(canvas, "pointerup", () => {
			if (this.dragBegin) this.onRange(this.range);
			this.dragBegin = null;
		});
		listen(canvas, "keydown", (event) => this.key(event));
	}

	clear(): void {
		this.range = null;
		this.draw();
	}

	/** The first second that is shown. */
	private get first(): number {
		return this.now - COLUMNS + 1;
	}

	/** The second, or the nearest one that is shown. */
	private clampSecond(second: number): number {
		return clamp(second, this.first, this.now);
	}

	private pointOf({ offsetX, offsetY }: PointerEvent): Point {
		const column = Math.floor((offsetX / this.canvas.clientWidth) * COLUMNS),
			row = ROWS - 1 - Math.floor((offsetY / this.height) * ROWS);
		return { second: this.clampSecond(this.first + column), row: clampRow(row) };
	}

	/** Arrow keys move the range, with Shift they enlarge it; Enter looks at it. */
	private key(event: KeyboardEvent): void {
		const arrow = ARROWS[event.key],
			{ range } = this;
		if (event.key === "Escape" && range) {
			this.clear();
			this.onRange(null);
		} else if (event.key === "Enter" && range) {
			this.onRange(range);
		} else if (arrow) {
			this.range = range
				? this.moved(range, arrow, event.shiftKey)
				: { from: this.now - 1, to: this.now - 1, low: 0, high: ROWS - 1 };
			this.draw();
		} else {
			return;
		}
		event.preventDefault();
	}

	private moved({ from, to, low, high }: Range, [x, y]: readonly [number, number], enlarge: boolean): Range {
		return {
			from: this.clampSecond(from + (enlarge && x > 0 ? 0 : x)),
			to: this.clampSecond(to + (enlarge && x < 0 ? 0 : x)),
			low: clampRow(low + (enlarge && y > 0 ? 0 : y)),
			high: clampRow(high + (enlarge && y < 0 ? 0 : y)),
		};
	}

	/** Says what is under the pointer. */
	private describe({ second, row }: Point): void {
		const gap = this.gap(second),
			ago = `${this.now - second} s ago`,
			[low, high] = rowRange(row),
			bound = Number.isFinite(high) ? `to ${amount(high, "ns")}` : "and more",
			count = this.data.cells.get(second)?.[row] ?? 0;
		this.canvas.title = gap
			? `${ago}, not measured: ${gap}`
			: `${number(count)} delays of ${amount(low, "ns")} ${bound}, ${ago}: ` +
				`from ${this.origin}, second ${second} since the machine started`;
	}

	private select(first: Point, second: Point): void {
		const { min, max } = Math;
		this.range = {
			from: min(first.second, second.second),
			to: max(first.second, second.second),
			low: min(first.row, second.row),
			high: max(first.row, second.row),
		};
		this.draw();
	}

	draw(): void {
		const width = this.element.clientWidth,
			{ height, context } = this;
		if (!prepare(this.canvas, context, width, height)) return;
		context.fillStyle = cssColour("--panel");
		context.fillRect(0, 0, width, height);
		this.drawGaps(width);
		this.drawCells(width);
		this.drawTicks(width);
		if (!this.range) return;
		const { from, to, low, high } = this.range,
			column = width / COLUMNS,
			row = height / ROWS;
		context.strokeStyle = cssColour("--accent");
		context.lineWidth = 1.5;
		context.strokeRect(
			(from - this.first) * column,
			(ROWS - 1 - high) * row,
			(to - from + 1) * column,
			(high - low + 1) * row,
		);
	}

	private drawCells(width: number): void {
		const cells: { column: number; row: number; count: number }[] = [],
			columnWidth = width / COLUMNS,
			rowSize = this.height / ROWS;
		for (let column = 0; column < COLUMNS; column++)
			this.data.cells
				.get(this.first + column)
				?.forEach((count, row) => count > 0 && cells.push({ column, row, count }));
		const sorted = cells.map((cell) => cell.count).sort((a, b) => a - b);
		for (const { column, row, count } of cells) {
			this.context.fillStyle = this.colourOf(countUpTo(sorted, count) / sorted.length);
			const x = column * columnWidth,
				y = (ROWS - 1 - row) * rowSize;
			this.context.fillRect(x, y, columnWidth + OVERLAP, rowSize + OVERLAP);
		}
	}

	private colourOf(level: number): string {
		if (!this.colours.length) {
			const colours = gradient(isDark());
			this.colours = Array.from({ length: 256 }, (_, i) => rgbText(colours.subarray(3 * i, 3 * i + 3)));
		}
		return this.colours[Math.round(level * 255)]!;
	}

	/** A second that was not measured is hatched: it is not an empty one. */
	private drawGaps(width: number): void {
		const { context, height } = this,
			column = width / COLUMNS;
		context.save();
		context.beginPath();
		for (let second = this.first; second <= this.now; second++)
			if (this.gap(second)) context.rect((second - this.first) * column, 0, column + OVERLAP, height);
		context.clip();
		context.strokeStyle = cssColour("--line");
		context.beginPath();
		for (let x = -height; x < width; x += HATCH) {
			context.moveTo(x, height);
			context.lineTo(x + height, 0);
		}
		context.stroke();
		context.restore();
	}

	private drawTicks(width: number): void {
		const { context, height } = this;
		context.font = "10px system-ui, sans-serif";
		context.textBaseline = "middle";
		for (const [ns, text] of TICKS) {
			const y = height - (rowHeight(ns) * height) / ROWS;
			context.fillStyle = cssColour("--line");
			context.globalAlpha = 0.7;
			context.fillRect(0, y, width, 1);
			context.globalAlpha = 1;
			context.fillStyle = cssColour("--muted");
			context.fillText(text, 3, y - 6);
		}
	}
}
