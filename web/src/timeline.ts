// SPDX-License-Identifier: Apache-2.0
// Rows of intervals on a canvas as large as the window, which scrolls over them: only rows that are seen are painted.
import { WAIT_DARK } from "./appearance.js";
import { prepare } from "./canvas.js";
import { makeElement, listen } from "./element.js";
import { KEY_SLOTS, slotColour } from "./keycolour.js";
import { clamp } from "./math.js";
import { Found, isNamed, itemAt, Painter, Palette, Row, TimelineHead } from "./timelinemodel.js";
import { Pick } from "./timelinestate.js";
import { cssColour, cssFont, isDark, onTheme } from "./theme.js";
import { spanText, spanTicks } from "./ticks.js";
import { TimelineInput } from "./timelineinput.js";

const AXIS = 26,
	ROW = 17,
	BAR = 13,
	HEAD = 20,
	LEAST_NS = 100;
const HEADS: Record<string, string> = {
	spans: "Spans",
	requests: "Slow events",
	irqs: "Interrupts",
	cpus: "CPUs",
	threads: "Threads",
	processes: "Processes",
};

export class TimelineView {
	readonly canvas = makeElement("canvas");
	private readonly spacer = makeElement("div", "", "flame-spacer");
	private readonly context: CanvasRenderingContext2D;
	private readonly input: TimelineInput;
	readonly axisHeight = AXIS;
	private readonly pixels = new OffscreenCanvas(1, 1);
	private readonly painter = new Painter();
	private palette: Palette = { rgb: new Uint8Array(0), weight: new Float32Array(0) };
	private head: TimelineHead | null = null;
	rows: Row[] = [];
	private lines: { row: number; head: string; y: number }[] = []; // from above; row -1: a heading
	private pending = 0;
	from = 0;
	to = 1;
	picked: Pick | null = null;
	found: Found = null;
	shown: (row: number) => boolean = () => true;
	drawn = 0; // ms that the last frame took
	onHover: (pick: Pick | null, x: number, y: number) => void = () => {};
	onPick: (picked: Pick | null) => void = () => {};
	onRange: () => void = () => {};

	constructor(private readonly host: HTMLElement) {
		this.context = this.canvas.getContext("2d")!;
		host.append(this.canvas, this.spacer);
		this.canvas.tabIndex = 0;
		new ResizeObserver(() => this.paint()).observe(host);
		listen(host, "scroll", () => this.paint());
		onTheme(() => {
			this.palette = this.makePalette();
			this.paint();
		});
		this.input = new TimelineInput(this);
		listen(this.canvas, "mouseleave", () => this.onHover(null, 0, 0));
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

	timeAt(x: number): number {
		return this.from + ((x - this.left) / this.width) * (this.to - this.from);
	}

	/** The middle of a row on the canvas; for tests. */
	rowY(row: number): number {
		const line = this.lines.find((other) => other.row === row);
		return line ? line.y + AXIS - this.host.scrollTop + ROW / 2 : -1;
	}

	/** Which rows there are, below which headings. */
	layOut(): void {
		let y = 0,
			group = "";
		this.lines = [];
		this.rows.forEach((row, i) => {
			if (!this.shown(i)) return;
			if (row.group !== group && HEADS[row.group]) {
				this.lines.push({ row: -1, head: HEADS[row.group]!, y });
				y += HEAD;
			}
			group = row.group;
			this.lines.push({ row: i, head: "", y });
			y += ROW;
		});
		this.spacer.style.height = y + AXIS + 8 + "px";
		this.paint();
	}

	get visible(): number[] {
		return this.lines.filter((line) => line.row >= 0).map((line) => line.row);
	}

	zoom(from: number, to: number): void {
		const length = this.head?.length ?? 1,
			span = Math.min(length, Math.max(LEAST_NS, to - from));
		this.from = clamp(from + (to - from - span) / 2, 0, length - span);
		this.to = this.from + span;
		this.onRange();
		this.paint();
	}

	zoomAt(x: number, factor: number): void {
		const time = this.timeAt(x);
		this.zoom(time - (time - this.from) * factor, time + (this.to - time) * factor);
	}

	pan(share: number): void {
		const by = (this.to - this.from) * share;
		this.zoom(this.from + by, this.to + by);
	}

	pick(pick: Pick | null): void {
		this.picked = pick;
		if (pick) {
			const line = this.lines.find((other) => other.row === pick.row),
				host = this.host;
			if (line && (line.y < host.scrollTop || line.y + ROW + AXIS > host.scrollTop + host.clientHeight))
				host.scrollTop = Math.max(0, line.y - host.clientHeight / 2);
			const row = this.rows[pick.row]!;
			if (pick.item >= 0 && (row.to[pick.item]! < this.from || row.from[pick.item]! > this.to)) {
				const middle = (row.from[pick.item]! + row.to[pick.item]!) / 2,
					half = (this.to - this.from) / 2;
				this.zoom(middle - half, middle + half);
			}
		}
		this.onPick(pick);
		this.paint();
	}

	private at(x: number, y: number): Pick | null {
		const at = y - AXIS + this.host.scrollTop;
		const line =
			y < AXIS ? undefined : this.lines.find((other) => other.row >= 0 && at >= other.y && at < other.y + ROW);
		if (!line) return null;
		const slack = (2 * (this.to - this.from)) / this.width;
		return { row: line.row, item: x < this.left ? -1 : itemAt(this.rows[line.row]!, this.timeAt(x), slack) };
	}

	hover(x: number, y: number, event: MouseEvent): void {
		this.onHover(this.at(x, y), event.clientX, event.clientY);
	}

	click(x: number, y: number): void {
		this.pick(this.at(x, y));
	}

	/** Zooms to an interval. */
	zoomIntoAt(x: number, y: number): void {
		const pick = this.at(x, y),
			row = pick ? this.rows[pick.row]! : null;
		if (!pick || !row || pick.item < 0) return;
		const from = row.from[pick.item]!,
			to = row.to[pick.item]!;
		this.zoom(2 * from - to, 2 * to - from);
	}

	private makePalette(): Palette {
		const kinds = this.head?.kinds ?? [],
			count = kinds.length,
			rgb = new Uint8Array(3 * (count + KEY_SLOTS)),
			weight = new Float32Array(count + KEY_SLOTS);
		const one = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true })!;
		for (let i = 0; i < count + KEY_SLOTS; i++) {
			one.fillStyle = i < count ? this.colour(i) : `rgb(${slotColour(i - count).join(" ")})`;
			one.fillRect(0, 0, 1, 1);
			rgb.set(one.getImageData(0, 0, 1, 1).data.subarray(0, 3), 3 * i);
			weight[i] = 4 ** (i < count ? kinds[i]!.weight : 2);
		}
		return { rgb, weight };
	}

	/** The same for legends: what has colours by its names has several. */
	legendColour(kind: number): string {
		const [a, b, context] = [0, 1, 2].map((slot) => `rgb(${slotColour(slot).join(" ")})`);
		return isNamed(this.head!.kinds[kind]!.name)
			? `linear-gradient(90deg, ${a} 34%, ${b} 34% 67%, ${context} 67%)`
			: this.colour(kind);
	}

	/** Of a kind, as src/view/picture/timeline_svg.c has it. */
	colour(kind: number): string {
		const { hue, saturation, lightness } = this.head!.kinds[kind]!;
		if (!isDark()) return `hsl(${hue} ${saturation}% ${lightness}%)`;
		const isPale = saturation < WAIT_DARK.pale_saturation && lightness > WAIT_DARK.pale_lightness,
			darker = lightness > WAIT_DARK.bright ? lightness - WAIT_DARK.darker : lightness;
		return `hsl(${hue} ${(saturation * WAIT_DARK.saturation) / 100}% ${isPale ? WAIT_DARK.pale : darker}%)`;
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
		const began = performance.now(),
			context = this.context,
			host = this.host;
		if (!this.head || !prepare(this.canvas, context, host.clientWidth, host.clientHeight)) return;
		const top = host.scrollTop,
			inside = this.lines.filter((line) => line.y + ROW > top && line.y < top + host.clientHeight - AXIS);
		this.drawGrid(host.clientHeight);
		this.drawBars(inside, top);
		this.drawLabels(inside, top);
		this.drawAxis();
		this.drawCursor(top);
		this.drawn = performance.now() - began;
	}

	private drawBars(inside: { row: number; y: number }[], top: number): void {
		const rows = inside.filter((line) => line.row >= 0),
			width = Math.floor(this.width * (devicePixelRatio || 1)),
			context = this.context;
		if (!rows.length) return;
		const image = new ImageData(width, rows.length),
			out = new Uint32Array(image.data.buffer),
			pick = this.pixels;
		rows.forEach((line, i) =>
			this.painter.paint(
				this.rows[line.row]!,
				this.from,
				this.to,
				width,
				this.palette,
				this.found,
				out,
				i * width,
			),
		);
		pick.width = width;
		pick.height = rows.length;
		pick.getContext("2d")!.putImageData(image, 0, 0);
		context.imageSmoothingEnabled = false;
		rows.forEach((line, i) =>
			context.drawImage(pick, 0, i, width, 1, this.left, line.y - top + AXIS + 2, this.width, BAR),
		);
	}

	private drawLabels(inside: { row: number; head: string; y: number }[], top: number): void {
		const context = this.context,
			text = cssColour("--text"),
			muted = cssColour("--muted"),
			font = cssFont();
		context.textBaseline = "middle";
		context.textAlign = "left";
		for (const line of inside) {
			const y = line.y - top + AXIS,
				row = line.row >= 0 ? this.rows[line.row]! : null;
			context.font = row ? font : "600 " + font;
			context.fillStyle = row ? text : muted;
			context.save();
			context.beginPath();
			context.rect(0, y, this.left - 6, HEAD);
			context.clip();
			context.fillText(
				row ? row.label : line.head,
				2 + (this.left < 150 ? 3 : 7) * Math.min(row?.depth ?? 0, 14),
				y + (row ? ROW / 2 + 0.5 : HEAD / 2 + 1),
			);
			context.restore();
		}
	}

	private drawGrid(height: number): void {
		this.context.fillStyle = cssColour("--line");
		for (const { ns } of spanTicks(this.from, this.to, this.width))
			this.context.fillRect(Math.round(this.x(ns)), AXIS, 1, height);
	}

	private drawAxis(): void {
		const context = this.context;
		context.fillStyle = cssColour("--bg");
		context.fillRect(0, 0, this.host.clientWidth, AXIS);
		context.font = cssFont();
		context.fillStyle = cssColour("--muted");
		context.textBaseline = "middle";
		context.textAlign = "left";
		context.fillText("time", 2, AXIS / 2);
		for (const { ns, step } of spanTicks(this.from, this.to, this.width)) {
			const x = this.x(ns);
			context.textAlign = x - this.left < 30 ? "left" : x > this.left + this.width - 30 ? "right" : "center";
			context.fillText(spanText(ns, step), x, AXIS / 2);
			context.fillRect(Math.round(x), AXIS - 4, 1, 4);
		}
	}

	private drawCursor(top: number): void {
		const context = this.context,
			pick = this.picked,
			line = pick ? this.lines.find((other) => other.row === pick.row) : undefined;
		if (pick && line && line.y >= top) {
			const y = line.y - top + AXIS,
				row = this.rows[pick.row]!;
			context.strokeStyle = cssColour("--found");
			context.lineWidth = 1.5;
			if (pick.item < 0) {
				context.strokeRect(1, y + 0.5, this.left + this.width, ROW - 1);
			} else {
				const a = Math.max(this.left, this.x(row.from[pick.item]!)),
					b = Math.min(this.left + this.width, this.x(row.to[pick.item]!));
				if (b >= this.left && a <= this.left + this.width)
					context.strokeRect(a - 1, y + 1, Math.max(3, b - a + 2), BAR + 2);
			}
		}
		if (this.input.drag?.select && this.input.drag.moved) {
			context.fillStyle = cssColour("--accent");
			context.globalAlpha = 0.2;
			context.fillRect(
				Math.min(this.input.drag.x, this.input.drag.now),
				0,
				Math.abs(this.input.drag.now - this.input.drag.x),
				this.host.clientHeight,
			);
			context.globalAlpha = 1;
		}
	}
}
