// SPDX-License-Identifier: Apache-2.0
// Rows of intervals on a canvas as large as the window, which scrolls over them: only rows that are seen are painted.
import { amount } from "./amount.js";
import { prepare } from "./canvas.js";
import { make, on } from "./dom.js";
import { KEY_SLOTS, slotColour } from "./keycolour.js";
import { clamp } from "./short.js";
import { Found, isNamed, itemAt, Painter, Palette, Row, TimelineHead } from "./timelinemodel.js";
import { cssColour, cssFont, isDark, onTheme } from "./theme.js";

const AXIS = 26, ROW = 17, BAR = 13, HEAD = 20, STEP = 1.25, LEAST_NS = 100;
const HEADS: Record<string, string> = { spans: "Spans", requests: "Slow events", irqs: "Interrupts", cpus: "CPUs", threads: "Threads", processes: "Processes" };

export interface Pick {
	row: number; // of rows
	item: number; // -1: none
}

export class TimelineView {
	readonly canvas = make("canvas");
	private readonly spacer = make("div", "", "flame-spacer");
	private readonly ctx: CanvasRenderingContext2D;
	private readonly pixels = new OffscreenCanvas(1, 1);
	private readonly painter = new Painter();
	private palette: Palette = { rgb: new Uint8Array(0), weight: new Float32Array(0) };
	private head: TimelineHead | null = null;
	rows: Row[] = [];
	private lines: { row: number, head: string, y: number }[] = []; // from above; row -1: a heading
	private pending = 0;
	private drag: { x: number, from: number, to: number, moved: boolean, select: boolean, now: number } | null = null;
	from = 0;
	to = 1;
	picked: Pick | null = null;
	found: Found = null;
	shown: (row: number) => boolean = () => true;
	drawn = 0; // ms that the last frame took
	onHover: (p: Pick | null, x: number, y: number) => void = () => {};
	onPick: (p: Pick | null) => void = () => {};
	onRange: () => void = () => {};

	constructor(private readonly host: HTMLElement) {
		this.ctx = this.canvas.getContext("2d")!;
		host.append(this.canvas, this.spacer);
		this.canvas.tabIndex = 0;
		new ResizeObserver(() => this.paint()).observe(host);
		on(host, "scroll", () => this.paint());
		onTheme(() => {
			this.palette = this.makePalette();
			this.paint();
		});
		this.listen();
	}

	/** Shows a timeline, all of it. */
	show(head: TimelineHead, rows: Row[]): void {
		this.head = head;
		this.rows = rows;
		this.from = 0;
		this.to = head.length;
		this.picked = this.found = null;
		this.shown = () => true;
		this.palette = this.makePalette();
		this.host.scrollTop = 0;
		this.layOut();
	}

	get left(): number {
		return Math.min(190, Math.floor(this.host.clientWidth * 0.3));
	}

	get width(): number {
		return Math.max(1, this.host.clientWidth - this.left - 8);
	}

	x(ns: number): number {
		return this.left + ((ns - this.from) / (this.to - this.from)) * this.width;
	}

	private time(x: number): number {
		return this.from + ((x - this.left) / this.width) * (this.to - this.from);
	}

	/** The middle of a row on the canvas; for tests. */
	rowY(row: number): number {
		const l = this.lines.find((v) => v.row === row);
		return l ? l.y + AXIS - this.host.scrollTop + ROW / 2 : -1;
	}

	/** Which rows there are, below which headings. */
	layOut(): void {
		let y = 0, group = "";
		this.lines = [];
		this.rows.forEach((r, i) => {
			if (!this.shown(i))
				return;
			if (r.group !== group && HEADS[r.group]) {
				this.lines.push({ row: -1, head: HEADS[r.group]!, y });
				y += HEAD;
			}
			group = r.group;
			this.lines.push({ row: i, head: "", y });
			y += ROW;
		});
		this.spacer.style.height = y + AXIS + 8 + "px";
		this.paint();
	}

	get visible(): number[] {
		return this.lines.filter((l) => l.row >= 0).map((l) => l.row);
	}

	zoom(from: number, to: number): void {
		const length = this.head?.length ?? 1, span = Math.min(length, Math.max(LEAST_NS, to - from));
		this.from = clamp(from + (to - from - span) / 2, 0, length - span);
		this.to = this.from + span;
		this.onRange();
		this.paint();
	}

	zoomAt(x: number, factor: number): void {
		const t = this.time(x);
		this.zoom(t - (t - this.from) * factor, t + (this.to - t) * factor);
	}

	pan(share: number): void {
		const by = (this.to - this.from) * share;
		this.zoom(this.from + by, this.to + by);
	}

	pick(p: Pick | null): void {
		this.picked = p;
		if (p) {
			const l = this.lines.find((v) => v.row === p.row), h = this.host;
			if (l && (l.y < h.scrollTop || l.y + ROW + AXIS > h.scrollTop + h.clientHeight))
				h.scrollTop = Math.max(0, l.y - h.clientHeight / 2);
			const row = this.rows[p.row]!;
			if (p.item >= 0 && (row.to[p.item]! < this.from || row.from[p.item]! > this.to)) {
				const middle = (row.from[p.item]! + row.to[p.item]!) / 2, half = (this.to - this.from) / 2;
				this.zoom(middle - half, middle + half);
			}
		}
		this.onPick(p);
		this.paint();
	}

	private at(x: number, y: number): Pick | null {
		const at = y - AXIS + this.host.scrollTop;
		const l = y < AXIS ? undefined : this.lines.find((v) => v.row >= 0 && at >= v.y && at < v.y + ROW);
		if (!l)
			return null;
		const slack = (2 * (this.to - this.from)) / this.width;
		return { row: l.row, item: x < this.left ? -1 : itemAt(this.rows[l.row]!, this.time(x), slack) };
	}

	private listen(): void {
		const c = this.canvas, place = (e: MouseEvent): [number, number] => {
			const r = c.getBoundingClientRect();
			return [e.clientX - r.x, e.clientY - r.y];
		};
		on(c, "wheel", (e) => {
			const [x, y] = place(e), sideways = Math.abs(e.deltaX) > Math.abs(e.deltaY) ? e.deltaX : e.shiftKey ? e.deltaY : 0;
			if (e.ctrlKey || y < AXIS)
				this.zoomAt(x, e.deltaY > 0 ? STEP : 1 / STEP);
			else if (sideways)
				this.pan(sideways / 1000);
			else
				return;
			e.preventDefault();
		}, { passive: false });
		on(c, "mousedown", (e) => {
			const [x, y] = place(e);
			if (e.button === 0 && x >= this.left)
				this.drag = { x, from: this.from, to: this.to, moved: false, select: y < AXIS || e.shiftKey, now: x };
		});
		on(window, "mousemove", (e) => {
			const [x, y] = place(e), d = this.drag;
			if (!d) {
				if (e.target === c)
					this.onHover(this.at(x, y), e.clientX, e.clientY);
				return;
			}
			d.now = x;
			d.moved ||= Math.abs(x - d.x) > 3;
			if (d.moved && !d.select) {
				const by = ((d.x - x) / this.width) * (d.to - d.from);
				this.zoom(d.from + by, d.to + by);
			}
			this.paint();
		});
		on(window, "mouseup", (e) => {
			const d = this.drag;
			this.drag = null;
			if (!d)
				return;
			if (d.moved && d.select)
				this.zoom(Math.min(this.time(d.x), this.time(d.now)), Math.max(this.time(d.x), this.time(d.now)));
			else if (!d.moved)
				this.pick(this.at(...place(e)));
			this.paint();
		});
		on(c, "mouseleave", () => this.onHover(null, 0, 0));
		on(c, "dblclick", (e) => {
			const p = this.at(...place(e)), row = p ? this.rows[p.row]! : null;
			if (!p || !row || p.item < 0)
				return;
			const a = row.from[p.item]!, b = row.to[p.item]!;
			this.zoom(a - (b - a), b + (b - a));
		});
	}

	private makePalette(): Palette {
		const kinds = this.head?.kinds ?? [], n = kinds.length, rgb = new Uint8Array(3 * (n + KEY_SLOTS)), weight = new Float32Array(n + KEY_SLOTS);
		const one = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true })!;
		for (let i = 0; i < n + KEY_SLOTS; i++) {
			one.fillStyle = i < n ? this.colour(i) : `rgb(${slotColour(i - n).join(" ")})`;
			one.fillRect(0, 0, 1, 1);
			rgb.set(one.getImageData(0, 0, 1, 1).data.subarray(0, 3), 3 * i);
			weight[i] = 4 ** (i < n ? kinds[i]!.weight : 2);
		}
		return { rgb, weight };
	}

	/** The same for legends: what has colours by its names has several. */
	legendColour(kind: number): string {
		const [a, b, c] = [0, 1, 2].map((slot) => `rgb(${slotColour(slot).join(" ")})`);
		return isNamed(this.head!.kinds[kind]!.name) ? `linear-gradient(90deg, ${a} 34%, ${b} 34% 67%, ${c} 67%)` : this.colour(kind);
	}

	/** Of a kind, as src/view/picture/timeline_svg.c has it. */
	colour(kind: number): string {
		const k = this.head!.kinds[kind]!;
		if (!isDark())
			return `hsl(${k.hue} ${k.saturation}% ${k.lightness}%)`;
		const light = k.saturation < 24 && k.lightness > 70 ? 30 : k.lightness > 60 ? k.lightness - 16 : k.lightness;
		return `hsl(${k.hue} ${(k.saturation * 3) / 4}% ${light}%)`;
	}

	paint(): void {
		if (!this.pending)
			this.pending = requestAnimationFrame(() => {
				this.pending = 0;
				this.draw();
			});
	}

	/** Draws now; for tests and measuring. */
	draw(): void {
		const began = performance.now(), c = this.ctx, h = this.host;
		if (!this.head || !prepare(this.canvas, c, h.clientWidth, h.clientHeight))
			return;
		const top = h.scrollTop, inside = this.lines.filter((l) => l.y + ROW > top && l.y < top + h.clientHeight - AXIS);
		this.drawGrid(h.clientHeight);
		this.drawBars(inside, top);
		this.drawLabels(inside, top);
		this.drawAxis();
		this.drawCursor(top);
		this.drawn = performance.now() - began;
	}

	private drawBars(inside: { row: number, y: number }[], top: number): void {
		const rows = inside.filter((l) => l.row >= 0), w = Math.floor(this.width * (devicePixelRatio || 1)), c = this.ctx;
		if (!rows.length)
			return;
		const image = new ImageData(w, rows.length), out = new Uint32Array(image.data.buffer), p = this.pixels;
		rows.forEach((l, i) => this.painter.paint(this.rows[l.row]!, this.from, this.to, w, this.palette, this.found, out, i * w));
		p.width = w;
		p.height = rows.length;
		p.getContext("2d")!.putImageData(image, 0, 0);
		c.imageSmoothingEnabled = false;
		rows.forEach((l, i) => c.drawImage(p, 0, i, w, 1, this.left, l.y - top + AXIS + 2, this.width, BAR));
	}

	private drawLabels(inside: { row: number, head: string, y: number }[], top: number): void {
		const c = this.ctx, text = cssColour("--text"), muted = cssColour("--muted"), font = cssFont();
		c.textBaseline = "middle";
		c.textAlign = "left";
		for (const l of inside) {
			const y = l.y - top + AXIS, row = l.row >= 0 ? this.rows[l.row]! : null;
			c.font = row ? font : "600 " + font;
			c.fillStyle = row ? text : muted;
			c.save();
			c.beginPath();
			c.rect(0, y, this.left - 6, HEAD);
			c.clip();
			c.fillText(row ? row.label : l.head, 2 + (this.left < 150 ? 3 : 7) * Math.min(row?.depth ?? 0, 14), y + (row ? ROW / 2 + 0.5 : HEAD / 2 + 1));
			c.restore();
		}
	}

	private ticks(): { ns: number, step: number }[] {
		const want = (this.to - this.from) / Math.max(1, this.width / 110), all: { ns: number, step: number }[] = [];
		let step = 10 ** Math.floor(Math.log10(Math.max(want, 1)));
		step *= want / step > 5 ? 10 : want / step > 2 ? 5 : want / step > 1 ? 2 : 1;
		for (let t = Math.ceil(this.from / step) * step; t <= this.to; t += step)
			all.push({ ns: t, step });
		return all;
	}

	private drawGrid(height: number): void {
		this.ctx.fillStyle = cssColour("--line");
		for (const { ns } of this.ticks())
			this.ctx.fillRect(Math.round(this.x(ns)), AXIS, 1, height);
	}

	private drawAxis(): void {
		const c = this.ctx;
		c.fillStyle = cssColour("--bg");
		c.fillRect(0, 0, this.host.clientWidth, AXIS);
		c.font = cssFont();
		c.fillStyle = cssColour("--muted");
		c.textBaseline = "middle";
		c.textAlign = "left";
		c.fillText("time", 2, AXIS / 2);
		for (const { ns, step } of this.ticks()) {
			const x = this.x(ns), digits = Math.max(0, Math.ceil(Math.log10(Math.max(1, ns) / step)) + 1);
			c.textAlign = x - this.left < 30 ? "left" : x > this.left + this.width - 30 ? "right" : "center";
			c.fillText(axisText(ns, digits), x, AXIS / 2);
			c.fillRect(Math.round(x), AXIS - 4, 1, 4);
		}
	}

	private drawCursor(top: number): void {
		const c = this.ctx, p = this.picked, l = p ? this.lines.find((v) => v.row === p.row) : undefined;
		if (p && l && l.y >= top) {
			const y = l.y - top + AXIS, row = this.rows[p.row]!;
			c.strokeStyle = cssColour("--found");
			c.lineWidth = 1.5;
			if (p.item < 0) {
				c.strokeRect(1, y + 0.5, this.left + this.width, ROW - 1);
			} else {
				const a = Math.max(this.left, this.x(row.from[p.item]!)), b = Math.min(this.left + this.width, this.x(row.to[p.item]!));
				if (b >= this.left && a <= this.left + this.width)
					c.strokeRect(a - 1, y + 1, Math.max(3, b - a + 2), BAR + 2);
			}
		}
		if (this.drag?.select && this.drag.moved) {
			c.fillStyle = cssColour("--accent");
			c.globalAlpha = 0.2;
			c.fillRect(Math.min(this.drag.x, this.drag.now), 0, Math.abs(this.drag.now - this.drag.x), this.host.clientHeight);
			c.globalAlpha = 1;
		}
	}
}

/** A time since the begin, with as many digits as neighbours need to differ. */
function axisText(ns: number, digits: number): string {
	if (ns === 0)
		return "0";
	const [factor, unit] = ns >= 1e9 ? [1e9, "s"] : ns >= 1e6 ? [1e6, "ms"] : ns >= 1e3 ? [1e3, "µs"] : [1, "ns"];
	return digits <= 3 ? amount(ns, "ns") : String(Number((ns / factor).toPrecision(Math.min(15, digits)))) + " " + unit;
}
