// SPDX-License-Identifier: Apache-2.0
// Canvases of the fleet's page: hosts × time, and latency × time of all hosts.
import { amount } from "../amount.js";
import { perFrame, prepare } from "../canvas.js";
import { listen, makeFocusable } from "../element.js";
import { gradientPixels } from "../heatcolour.js";
import { clamp } from "../math.js";
import { cssColour, cssFont, isDark, onTheme } from "../theme.js";
import { bucketBound, clockText, GridModel } from "./fleetdata.js";

const LEFT = 110,
	AXIS = 18,
	NAME_MIN = 11, // px of a row that gets its name
	ROW_MAX = 16,
	ROWS = 64, // of the heat map
	TIME_GAP = 110; // px between times

/** What both have: a picture with a pixel for each cell, scaled, and times below it. */
abstract class Picture {
	readonly canvas = document.createElement("canvas");
	protected model: GridModel | null = null;
	protected readonly context = this.canvas.getContext("2d")!;
	private readonly cells = document.createElement("canvas");
	/** Milliseconds of the last drawing; for tests. */
	drawn = 0;
	readonly redraw = perFrame(() => this.draw());

	constructor(protected readonly host: HTMLElement) {
		host.append(this.canvas);
		new ResizeObserver(() => this.redraw()).observe(host);
		onTheme(() => this.redraw());
	}

	show(model: GridModel): void {
		this.model = model;
		this.redraw();
	}

	/** The column under a point; NaN: none. */
	protected columnAt(x: number): number {
		const model = this.model,
			width = this.canvas.clientWidth - LEFT;
		if (!model || x < LEFT || width <= 0) return NaN;
		return Math.min(model.columns - 1, Math.floor(((x - LEFT) / width) * model.columns));
	}

	protected abstract rows(): number;
	protected abstract height(): number;
	protected abstract colour(pixels: Uint32Array, shades: Uint32Array, model: GridModel): void;
	protected abstract label(model: GridModel, height: number): void;

	private draw(): void {
		const began = performance.now(),
			model = this.model,
			width = this.host.clientWidth,
			height = this.height();
		if (!model || !prepare(this.canvas, this.context, width, height + AXIS)) return;
		const rows = this.rows();
		if (rows) {
			const image = new ImageData(model.columns, rows);
			this.colour(new Uint32Array(image.data.buffer), gradientPixels(isDark()), model);
			this.cells.width = model.columns;
			this.cells.height = rows;
			this.cells.getContext("2d")!.putImageData(image, 0, 0);
			this.context.imageSmoothingEnabled = false;
			this.context.drawImage(this.cells, LEFT, 0, width - LEFT, height);
		}
		this.context.font = cssFont();
		this.context.fillStyle = cssColour("--muted");
		this.context.textBaseline = "middle";
		this.label(model, height);
		this.labelTimes(model, width, height);
		this.drawn = performance.now() - began;
	}

	private labelTimes(model: GridModel, width: number, height: number): void {
		const span = width - LEFT,
			count = Math.max(1, Math.floor(span / TIME_GAP));
		this.context.textAlign = "left";
		for (let i = 0; i < count; i++)
			this.context.fillText(
				clockText(model.from + (i / count) * model.columns * model.step, model.columns * model.step > 86400),
				LEFT + (i / count) * span,
				height + AXIS / 2,
			);
	}
}

export interface GridCell {
	host: string;
	column: number;
}

/** Hosts × time; the colour is the percentile, on a logarithmic scale. */
export class HostGrid extends Picture {
	hosts: string[] = [];
	/** Hosts that are marked. */
	marked = new Set<string>();
	selected = "";
	onHover: (cell: GridCell | null, x: number, y: number) => void = () => {};
	onPick: (cell: GridCell) => void = () => {};

	constructor(host: HTMLElement) {
		super(host);
		makeFocusable(this.canvas, "img", "Hosts by time: arrow keys go from host to host, Enter shows one");
		listen(this.canvas, "pointermove", (event) =>
			this.onHover(this.at(event.offsetX, event.offsetY), event.clientX, event.clientY),
		);
		listen(this.canvas, "pointerleave", () => this.onHover(null, 0, 0));
		listen(this.canvas, "click", (event) => this.pick(this.at(event.offsetX, event.offsetY)));
		listen(this.canvas, "keydown", (event) => this.key(event));
	}

	private at(x: number, y: number): GridCell | null {
		const column = this.columnAt(x),
			host = this.hosts[Math.floor((y / this.height()) * this.hosts.length)];
		return host === undefined || y >= this.height() ? null : { host, column: Number.isNaN(column) ? 0 : column };
	}

	private pick(cell: GridCell | null): void {
		if (cell) this.onPick(cell);
	}

	private key(event: KeyboardEvent): void {
		const move = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
		if (!move || !this.hosts.length || !this.model) return;
		const at = clamp(this.hosts.indexOf(this.selected) + move, 0, this.hosts.length - 1);
		this.pick({ host: this.hosts[at]!, column: this.model.columns - 1 });
		event.preventDefault();
	}

	protected rows(): number {
		return this.hosts.length;
	}

	protected height(): number {
		const count = Math.max(1, this.hosts.length),
			row = clamp(Math.floor(420 / count), 2, ROW_MAX);
		return count * row;
	}

	protected colour(pixels: Uint32Array, shades: Uint32Array, model: GridModel): void {
		const [low, high] = model.extent();
		this.hosts.forEach((host, row) => {
			const values = model.hosts.get(host);
			for (let column = 0; values && column < model.columns; column++) {
				const value = values[column]!;
				if (value < 0) continue;
				pixels[row * model.columns + column] =
					shades[Math.round(((value - low) / (high - low)) * (shades.length - 1))]!;
			}
		});
	}

	protected label(_model: GridModel, height: number): void {
		const row = height / Math.max(1, this.hosts.length),
			[text, bad, accent] = [cssColour("--text"), cssColour("--bad"), cssColour("--accent")];
		this.context.textAlign = "right";
		let next = 0; // where there is room for a name
		this.hosts.forEach((host, i) => {
			const y = clamp((i + 0.5) * row, NAME_MIN / 2, height - NAME_MIN / 2); // whole, also where rows are lower
			if (y < next) return;
			next = y + NAME_MIN;
			this.context.fillStyle = host === this.selected ? accent : this.marked.has(host) ? bad : text;
			this.context.fillText(host.length > 15 ? host.slice(0, 14) + "…" : host, LEFT - 6, y, LEFT - 8);
		});
		const at = this.hosts.indexOf(this.selected);
		if (at < 0) return;
		this.context.strokeStyle = accent;
		this.context.strokeRect(LEFT + 0.5, at * row + 0.5, this.canvas.clientWidth - LEFT - 1, Math.max(2, row - 1));
	}
}

/** Latency × time of all hosts together; the colour is how many. */
export class FleetHeat extends Picture {
	private low = 0;
	private span = 1;

	protected rows(): number {
		return ROWS;
	}

	protected height(): number {
		return 192;
	}

	protected colour(pixels: Uint32Array, shades: Uint32Array, model: GridModel): void {
		let low = Infinity,
			high = 0,
			most = 0;
		for (const cell of model.cells)
			for (const bucket of cell.keys()) {
				low = Math.min(low, bucket);
				high = Math.max(high, bucket);
			}
		if (high < low) return;
		this.low = low;
		this.span = Math.max(1, high - low + 1);
		const sums = new Float64Array(ROWS * model.columns);
		model.cells.forEach((cell, column) => {
			for (const [bucket, count] of cell) {
				const row = ROWS - 1 - Math.floor(((bucket - low) / this.span) * ROWS),
					at = row * model.columns + column;
				sums[at]! += count;
				most = Math.max(most, sums[at]!);
			}
		});
		const scale = (shades.length - 1) / Math.log1p(most || 1);
		sums.forEach((count, i) => {
			if (count) pixels[i] = shades[Math.round(Math.log1p(count) * scale)]!;
		});
	}

	protected label(_model: GridModel, height: number): void {
		this.context.textAlign = "right";
		for (let i = 0; i <= 4; i++) {
			const bucket = Math.round(this.low + (this.span * i) / 4),
				y = clamp(height * (1 - i / 4), 7, height - 7);
			this.context.fillText(amount(bucketBound(bucket), "ns"), LEFT - 6, y, LEFT - 8);
		}
	}
}
