// SPDX-License-Identifier: Apache-2.0
// A heat map on a canvas: cells are painted once into a picture of a pixel each, which is scaled; axes, lines, losses and
// the cursor are drawn over it. Knows nothing of the page around it.
import { on } from "./dom.js";
import { amount } from "./amount.js";
import { perFrame, prepare } from "./canvas.js";
import { keyColour } from "./keycolour.js";
import { addPlane, addPlanes, Counts, HeatHead, histogram, normalise, Plane, Scale, Selecting, table, turn } from "./heatmodel.js";
import { clamp, firstWhere } from "./short.js";
import { cssColour, cssFont, isDark, onTheme } from "./theme.js";

const LEFT = 76, RIGHT = 10, TOP = 8, BOTTOM = 30, LOSS = 4;
/** Viridis, dark to light, as in src/view/picture/heat_svg.c. */
const STOPS = [[68, 1, 84], [71, 45, 123], [59, 82, 139], [44, 114, 142], [33, 145, 140], [40, 174, 128], [94, 201, 98], [173, 220, 48],
	[253, 231, 37]] as const;
const GREY = [128, 132, 140] as const;

export interface Cell {
	column: number;
	row: number;
}

/** Cells from … to, both in it. */
export interface CellRange {
	from: Cell;
	to: Cell;
}

export function gradient(dark: boolean): Uint8ClampedArray {
	const p = new Uint8ClampedArray(768);
	for (let i = 0; i < 256; i++) {
		const at = ((dark ? i : 255 - i) / 255) * (STOPS.length - 1), k = Math.min(Math.floor(at), STOPS.length - 2);
		for (let c = 0; c < 3; c++)
			p[3 * i + c] = STOPS[k]![c]! + (at - k) * (STOPS[k + 1]![c]! - STOPS[k]![c]!);
	}
	return p;
}

/** As a pixel of an ImageData, on the usual machines. */
function colourOf(r: number, g: number, b: number, a: number): number {
	return (((a + 0.5) << 24) | ((b + 0.5) << 16) | ((g + 0.5) << 8) | (r + 0.5)) >>> 0;
}

function rampColours(dark: boolean): Uint32Array {
	const g = gradient(dark);
	return Uint32Array.from({ length: 256 }, (_, i) => colourOf(g[3 * i]!, g[3 * i + 1]!, g[3 * i + 2]!, 255));
}

/** From grey (none) to a key's colour (all), without alpha. */
function shadesTo(colour: readonly number[]): Uint32Array {
	return Uint32Array.from({ length: 256 }, (_, i) => {
		const [r, g, b] = [0, 1, 2].map((c) => GREY[c]! + (i / 255) * (colour[c]! - GREY[c]!));
		return (b! + 0.5) << 16 | (g! + 0.5) << 8 | (r! + 0.5);
	});
}

const LABEL = 90; // pixels from one time to the next
/** Distances of times, ms: what people count in. */
const EVERY = [1, 2, 5, 10, 20, 50, 100, 200, 500, ...[1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800].map((s) => s * 1000)];

export class HeatView {
	readonly canvas = document.createElement("canvas");
	private readonly ctx = this.canvas.getContext("2d")!;
	private readonly cells = document.createElement("canvas");
	private all!: Counts;
	private allCounts!: Uint32Array | null; // histogram of all, or they are too large
	private some: Counts | null = null; // when not all are shown
	private sum!: Counts; // what is shown: one of the two
	private counts!: Uint32Array | null; // its histogram
	private colours = new Uint32Array(0); // of all cells, as sum
	private image: ImageData | null = null;
	private from = 0; // columns that are shown
	private to: number;
	private cursor: Cell | null = null;
	private drag: { from: number, to: number } | null = null;
	private begin: Cell | null = null; // of a range that is being drawn
	chosen: CellRange | null = null;
	readonly redraw = perFrame(() => this.draw());
	scale: Scale = "rank";
	selecting: Selecting = "highlight";
	lines = true;
	readonly selected = new Set<number>();
	/** Milliseconds of the last recolouring and drawing; for tests. */
	drawn = 0;
	onCell: (cell: Cell | null, x: number, y: number) => void = () => {};
	onPick: (cell: Cell | null) => void = () => {};
	/** When set, dragging chooses a range of cells; else it zooms. */
	onRange: ((r: CellRange) => void) | null = null;

	constructor(private readonly host: HTMLElement, private head: HeatHead, private planes: Plane[]) {
		this.to = head.columns;
		host.append(this.canvas);
		new ResizeObserver(() => this.redraw()).observe(host);
		onTheme(() => this.paint());
		this.listen();
		this.load();
	}

	/** Takes in all planes. */
	load(): void {
		this.all = addPlanes(this.planes, this.head.columns * this.head.rows);
		this.allCounts = histogram(this.all);
		this.some = null;
		this.recount();
	}

	private listen(): void {
		const c = this.canvas;
		on(c, "pointermove", (e) => {
			const cell = this.at(e.offsetX, e.offsetY);
			if (this.begin && e.buttons)
				this.choose(this.begin, this.near(e.offsetX, e.offsetY));
			if (this.drag && e.buttons) {
				this.drag.to = e.offsetX;
				this.redraw();
			}
			this.onCell(cell, e.clientX, e.clientY);
		});
		on(c, "pointerleave", () => this.onCell(null, 0, 0));
		on(c, "pointerdown", (e) => {
			if (this.onRange)
				this.begin = this.near(e.offsetX, e.offsetY);
			else
				this.drag = { from: e.offsetX, to: e.offsetX };
			c.setPointerCapture(e.pointerId);
		});
		on(c, "pointerup", (e) => {
			const d = this.drag;
			this.drag = null;
			if (this.begin) {
				this.choose(this.begin, this.near(e.offsetX, e.offsetY));
				this.begin = null;
				this.onRange!(this.chosen!);
				return;
			}
			if (d && Math.abs(d.to - d.from) > 6)
				this.zoom(this.columnAt(Math.min(d.from, d.to)), this.columnAt(Math.max(d.from, d.to)) + 1);
			else
				this.pick(this.at(e.offsetX, e.offsetY));
		});
	}

	/** Shows other cells in its place: newer ones of the same. Keys are selected by their place among the planes. */
	update(head: HeatHead, planes: Plane[]): void {
		const all = this.from === 0 && this.to === this.head.columns;
		this.head = head;
		this.planes = planes;
		this.to = all ? head.columns : Math.min(this.to, head.columns);
		this.recount();
	}

	get data(): { head: HeatHead, planes: Plane[] } { return { head: this.head, planes: this.planes }; }
	get range(): [number, number] { return [this.from, this.to]; }
	get picked(): Cell | null { return this.cursor; }

	zoom(from: number, to: number): void {
		this.from = clamp(from, 0, this.head.columns - 1);
		this.to = clamp(to, this.from + 1, this.head.columns);
		this.redraw();
	}

	pick(cell: Cell | null): void {
		this.cursor = cell;
		this.redraw();
		this.onPick(cell);
	}

	count(cell: Cell): number {
		return this.sum[cell.column * this.head.rows + cell.row]!;
	}

	/** The keys of a cell, most first. */
	keysOf(cell: Cell): { key: number, count: number }[] {
		const want = cell.column * this.head.rows + cell.row, found = [];
		for (let k = 0; k < this.planes.length; k++) {
			const { index, count } = this.planes[k]!;
			const at = firstWhere(index.length, (i) => index[i]! >= want);
			if (index[at] === want)
				found.push({ key: k, count: count[at]! });
		}
		return found.sort((a, b) => b.count - a.count);
	}

	keyColour(k: number): readonly number[] {
		return keyColour(this.planes[k]!.key);
	}

	// -- places --

	private get width(): number { return Math.max(1, this.host.clientWidth - LEFT - RIGHT); }
	private get height(): number { return Math.max(1, this.host.clientHeight - TOP - BOTTOM); }

	private columnAt(x: number): number {
		return clamp(Math.floor(this.from + ((x - LEFT) / this.width) * (this.to - this.from)), 0, this.head.columns - 1);
	}

	at(x: number, y: number): Cell | null {
		if (x < LEFT || x >= LEFT + this.width || y < TOP || y >= TOP + this.height)
			return null;
		return { column: this.columnAt(x), row: Math.min(this.head.rows - 1, Math.floor(((TOP + this.height - y) / this.height) * this.head.rows)) };
	}

	/** The same; of points outside of the cells the nearest one. */
	private near(x: number, y: number): Cell {
		return this.at(clamp(x, LEFT, LEFT + this.width - 1), clamp(y, TOP, TOP + this.height - 1))!;
	}

	private choose(a: Cell, b: Cell): void {
		this.chosen = { from: { column: Math.min(a.column, b.column), row: Math.min(a.row, b.row) },
			to: { column: Math.max(a.column, b.column), row: Math.max(a.row, b.row) } };
		this.redraw();
	}

	private x(column: number): number {
		return LEFT + ((column - this.from) / (this.to - this.from)) * this.width;
	}

	private y(value: number): number {
		const e = this.head.edges, n = this.head.rows;
		let i = 0;
		while (i + 1 < n && e[i + 1]! <= value)
			i++;
		const part = clamp((value - e[i]!) / (e[i + 1]! - e[i]!), 0, 1);
		return TOP + this.height - ((i + part) / n) * this.height;
	}

	// -- painting --

	/** Counts again, after keys were selected, and gives all cells their colours. */
	recount(): void {
		const sel = this.selected, only = sel.size > 0 && this.selecting !== "highlight";
		this.sum = this.all;
		this.counts = this.allCounts;
		if (only) {
			const isolate = this.selecting === "isolate", some = this.some ??= this.all.slice();
			if (isolate)
				some.fill(0);
			else
				some.set(this.all);
			for (const k of sel)
				if (this.planes[k])
					addPlane(some, this.planes[k]!, isolate ? 1 : -1);
			this.sum = some;
			this.counts = histogram(some);
		}
		this.paint();
	}

	/** Gives all cells their colours. */
	paint(): void {
		const { columns, rows } = this.head, began = performance.now();
		const hued = this.selected.size > 0 && this.selecting !== "exclude", known = this.counts && table(this.counts, this.scale);
		const norm = known ? null : normalise(this.sum, this.scale), sum = this.sum;
		if (this.colours.length !== sum.length)
			this.colours = new Uint32Array(sum.length);
		const to = this.colours;
		if (hued) {
			this.paintHues(to, known, norm);
		} else if (known) {
			const ramp = rampColours(isDark()), colour = Uint32Array.from(known, (v) => v > 0 ? ramp[Math.round(v * 255)]! : 0);
			for (let i = 0; i < sum.length; i++)
				to[i] = colour[sum[i]!]!;
		} else {
			const ramp = rampColours(isDark());
			for (let i = 0; i < sum.length; i++)
				to[i] = norm![i]! > 0 ? ramp[Math.round(norm![i]! * 255)]! : 0;
		}
		if (this.image?.width !== columns || this.image.height !== rows) {
			this.image = new ImageData(columns, rows);
			this.cells.width = columns;
			this.cells.height = rows;
		}
		const image = this.image;
		turn(to, columns, rows, new Uint32Array(image.data.buffer));
		this.cells.getContext("2d")!.putImageData(image, 0, 0);
		this.drawn = performance.now() - began;
		this.redraw();
	}

	/** Selected keys in their colours, by the share that each has of a cell; what is not selected is grey. */
	private paintHues(to: Uint32Array, known: Float32Array | null, norm: Float32Array | null): void {
		const sum = this.sum, least = isDark() ? 0.25 : 0.2, chosen = [...this.selected].filter((k) => this.planes[k]);
		const alphaOf = (v: number) => v > 0 ? ((255 * (least + (1 - least) * v) + 0.5) << 24) >>> 0 : 0;
		const alphas = known && Uint32Array.from(known, alphaOf), grey = GREY[2] << 16 | GREY[1] << 8 | GREY[0];
		if (this.selecting === "isolate") { // what is not of these keys has nothing
			to.fill(0);
		} else if (alphas) {
			const greys = alphas.map((a) => a && a | grey);
			for (let i = 0; i < sum.length; i++)
				to[i] = greys[sum[i]!]!;
		} else {
			for (let i = 0; i < sum.length; i++)
				to[i] = norm![i]! > 0 ? alphaOf(norm![i]!) | grey : 0;
		}
		if (chosen.length > 1)
			return this.paintMixed(to, chosen, (i) => alphas ? alphas[sum[i]!]! : alphaOf(norm![i]!));
		const { index, count } = this.planes[chosen[0]!]!, shades = shadesTo(this.keyColour(chosen[0]!));
		for (let n = 0; n < index.length; n++) {
			const i = index[n]!, all = sum[i]!;
			to[i] = shades[(255 * count[n]! / all) | 0]! | (alphas ? alphas[all]! : alphaOf(norm![i]!));
		}
	}

	/** Several keys: a cell has of the hue of each as much as of its counts. */
	private paintMixed(to: Uint32Array, chosen: number[], alpha: (i: number) => number): void {
		const mixed = new Float32Array(3 * this.sum.length);
		for (const k of chosen) {
			const { index, count } = this.planes[k]!, colour = this.keyColour(k);
			for (let n = 0; n < index.length; n++) {
				const i = index[n]!, share = count[n]! / (this.sum[i] || 1), r = mixed[3 * i]! += share * (colour[0]! - GREY[0]);
				const g = mixed[3 * i + 1]! += share * (colour[1]! - GREY[1]), b = mixed[3 * i + 2]! += share * (colour[2]! - GREY[2]);
				to[i] = (GREY[2] + b + 0.5) << 16 | (GREY[1] + g + 0.5) << 8 | (GREY[0] + r + 0.5) | alpha(i);
			}
		}
	}

	private draw(): void {
		const c = this.ctx;
		if (!prepare(this.canvas, c, this.host.clientWidth, this.host.clientHeight))
			return;
		c.font = cssFont();
		c.imageSmoothingEnabled = false;
		c.drawImage(this.cells, this.from, 0, this.to - this.from, this.head.rows, LEFT, TOP, this.width, this.height);
		c.strokeStyle = cssColour("--line");
		c.strokeRect(LEFT - 0.5, TOP - 0.5, this.width + 1, this.height + 1);
		this.drawAxes();
		this.drawLosses();
		if (this.lines) {
			this.drawLine(this.head.p50, []);
			this.drawLine(this.head.p99, [4, 2]);
			this.drawLine(this.head.avg, [1, 3]);
		}
		this.drawCursor();
	}

	private drawAxes(): void {
		const c = this.ctx, { rows, edges, unit, begin, step } = this.head, muted = cssColour("--muted");
		const linear = Math.abs(edges[1]! - edges[0]! - edges[rows]! / rows) < 1e-6 * edges[rows]!;
		const octaves = edges.filter((e) => Number.isInteger(Math.log2(e))).length >= 3; // else any bound may have a text
		let last = Infinity;
		c.fillStyle = c.strokeStyle = muted;
		c.textAlign = "right";
		c.textBaseline = "middle";
		const whole = edges[rows]!, every = tick(whole / clamp(Math.floor(this.height / 26), 1, 8), unit);
		for (let v = 0; linear && v <= whole * (1 + 1e-9); v += every) {
			const y = TOP + this.height - (v / whole) * this.height;
			c.fillText(v ? amount(v, unit) : "0", LEFT - 8, Math.max(y, 8));
			c.fillRect(LEFT - 5, y - 0.5, 4, 1);
		}
		for (let i = 0; !linear && i <= rows; i++) {
			const y = TOP + this.height - (i / rows) * this.height;
			const here = !octaves || Number.isInteger(Math.log2(edges[i]!));
			if (!here || last - y < 26)
				continue;
			last = y;
			c.fillText(amount(edges[i]!, unit), LEFT - 8, Math.max(y, 8));
			c.fillRect(LEFT - 5, y - 0.5, 4, 1);
		}
		c.fillText("UTC", LEFT - 8, TOP + this.height + 18);
		this.drawTimes(begin, step);
	}

	/** Round times, evenly. */
	private drawTimes(begin: number, step: number): void {
		const c = this.ctx, span = (this.to - this.from) * step, first = begin + this.from * step, exact = step < 1000 ? Math.min(span, 9e3) : Math.max(span, 10e3);
		const every = EVERY.find((d) => d >= step && d / span * this.width >= (d < 43200e3 ? LABEL : 125)) ?? span;
		for (let t = Math.ceil(first / every) * every; t <= first + span; t += every) {
			const x = this.x((t - begin) / step);
			c.textAlign = x < LEFT + LABEL / 2 ? "left" : x > LEFT + this.width - LABEL / 3 ? "right" : "center";
			c.fillText(timeText(t, exact), x, TOP + this.height + 18);
			c.fillRect(x - 0.5, TOP + this.height + 1, 1, 4);
		}
	}

	private drawLosses(): void {
		this.ctx.fillStyle = cssColour("--bad");
		this.head.lost.forEach((n, i) => {
			if (n && i >= this.from && i < this.to)
				this.ctx.fillRect(this.x(i), TOP + this.height, Math.max(1, this.x(i + 1) - this.x(i)), LOSS);
		});
		this.ctx.fillStyle = "#bf8700";
		for (const [i, , n] of this.head.notes ?? []) {
			const x = this.x(Math.max(i, this.from)), to = this.x(Math.min(i + n, this.to));
			if (to > x)
				this.ctx.fillRect(x, TOP - 6, Math.max(4, to - x), 5);
		}
	}

	/** From the middle of a column to that of the next one; the first and the last column of a stretch are crossed wholly, so that
	 * one alone is seen, too. */
	private drawLine(v: (number | null)[], dash: number[]): void {
		const c = this.ctx;
		let last: number | null = null; // height of the column before
		c.beginPath();
		for (let i = this.from; i <= this.to; i++) {
			const value = i < this.to ? v[i] ?? null : null, y = value === null ? null : this.y(value);
			if (y === null && last !== null)
				c.lineTo(this.x(i), last);
			if (y !== null && last === null)
				c.moveTo(this.x(i), y);
			if (y !== null)
				c.lineTo(this.x(i + 0.5), y);
			last = y;
		}
		c.setLineDash(dash);
		c.lineWidth = 3;
		c.strokeStyle = cssColour("--bg");
		c.globalAlpha = 0.6;
		c.stroke();
		c.globalAlpha = 1;
		c.lineWidth = 1.3;
		c.strokeStyle = cssColour("--text");
		c.stroke();
		c.setLineDash([]);
	}

	private drawCursor(): void {
		const c = this.ctx, h = this.height / this.head.rows;
		if (this.cursor && this.cursor.column >= this.from && this.cursor.column < this.to) {
			const x = this.x(this.cursor.column), w = this.x(this.cursor.column + 1) - x;
			c.strokeStyle = cssColour("--found");
			c.lineWidth = 2;
			c.strokeRect(x - 1, TOP + this.height - (this.cursor.row + 1) * h - 1, w + 2, h + 2);
		}
		if (this.chosen) {
			const { from, to } = this.chosen, x = this.x(from.column), y = TOP + this.height - (to.row + 1) * h;
			c.strokeStyle = cssColour("--found");
			c.lineWidth = 2;
			c.strokeRect(x - 1, y - 1, this.x(to.column + 1) - x + 2, (to.row - from.row + 1) * h + 2);
		}
		if (this.drag && Math.abs(this.drag.to - this.drag.from) > 6) {
			c.fillStyle = cssColour("--accent");
			c.globalAlpha = 0.25;
			c.fillRect(Math.min(this.drag.from, this.drag.to), TOP, Math.abs(this.drag.to - this.drag.from), this.height);
			c.globalAlpha = 1;
		}
	}
}

/** The smallest distance of round values that is not below `least`, as heat_tick() in src/view/picture/heat.c. */
export function tick(least: number, unit: string): number {
	const seconds = unit === "ns" && least > 5e8 ? EVERY.find((ms) => ms >= 1000 && ms * 1e6 >= least) : undefined, ten = 10 ** Math.floor(Math.log10(least || 1));
	return seconds ? seconds * 1e6 : [1, 2, 5, 10].map((v) => v * ten).find((v) => v >= least * (1 - 1e-9)) ?? 10 * ten;
}

/** A moment in UTC; as exact as the span needs. */
export function timeText(ms: number, span: number): string {
	const t = new Date(ms).toISOString();
	return span > 2 * 86400e3 ? t.slice(5, 16).replace("T", " ") : span < 9.5e3 ? t.slice(11, 23) : t.slice(11, 19);
}
