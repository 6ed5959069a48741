// SPDX-License-Identifier: Apache-2.0
// Draws a timeline on a canvas: bars, labels, the axis, what is chosen and the stretch that is being selected. Which of
// them are where is TimelineFrame's.
import { prepare } from "./canvas.js";
import { cssColour, cssFont } from "./theme.js";
import { AXIS_HEIGHT, Line, ROW_HEIGHT, TimelineFrame } from "./timelineframe.js";
import { Painter, Palette } from "./timelinemodel.js";
import { spanText, spanTicks } from "./ticks.js";

const BAR_HEIGHT = 13,
	BAR_TOP = 2, // px above a bar, in its row
	DEPTH_MOST = 14, // of processes below one another
	NARROW = 150, // px of labels that have little room
	CLIP_HEIGHT = 20,
	EDGE = 30; // px at the ends of the axis, where texts do not stand in the middle of their ticks

export class TimelineDrawing {
	private readonly context: CanvasRenderingContext2D;
	private readonly pixels = new OffscreenCanvas(1, 1);
	private readonly painter = new Painter();

	constructor(
		private readonly canvas: HTMLCanvasElement,
		private readonly frame: TimelineFrame,
	) {
		this.context = canvas.getContext("2d")!;
	}

	/** scroll: px; stretch: edges of what is being selected. */
	draw(width: number, height: number, scroll: number, palette: Palette, stretch: [number, number] | null): void {
		if (!prepare(this.canvas, this.context, width, height)) return;
		const inside = this.frame.linesInside(scroll);
		this.drawGrid(height);
		this.drawBars(inside, scroll, palette);
		this.drawLabels(inside, scroll);
		this.drawAxis(width);
		this.drawPicked(scroll);
		if (stretch) this.drawStretch(stretch, height);
	}

	private drawBars(inside: readonly Line[], scroll: number, palette: Palette): void {
		const lines = inside.filter((line) => line.row >= 0),
			{ context, frame, pixels } = this,
			width = Math.floor(frame.width * (devicePixelRatio || 1));
		if (!lines.length) return;
		const image = new ImageData(width, lines.length),
			out = new Uint32Array(image.data.buffer);
		lines.forEach(({ row }, index) =>
			this.painter.paint(frame.rows[row]!, frame.from, frame.to, width, palette, frame.found, out, index * width),
		);
		pixels.width = width;
		pixels.height = lines.length;
		pixels.getContext("2d")!.putImageData(image, 0, 0);
		context.imageSmoothingEnabled = false;
		lines.forEach(({ y }, index) => {
			const top = y - scroll + AXIS_HEIGHT + BAR_TOP;
			context.drawImage(pixels, 0, index, width, 1, frame.left, top, frame.width, BAR_HEIGHT);
		});
	}

	private drawLabels(inside: readonly Line[], scroll: number): void {
		const { context, frame } = this,
			text = cssColour("--text"),
			muted = cssColour("--muted"),
			font = cssFont(),
			step = frame.left < NARROW ? 3 : 7;
		context.textBaseline = "middle";
		context.textAlign = "left";
		for (const { row: index, head, y, height } of inside) {
			const row = index >= 0 ? frame.rows[index]! : null,
				top = y - scroll + AXIS_HEIGHT,
				left = 2 + step * Math.min(row?.depth ?? 0, DEPTH_MOST);
			context.font = row ? font : `600 ${font}`;
			context.fillStyle = row ? text : muted;
			context.save();
			context.beginPath();
			context.rect(0, top, frame.left - 6, CLIP_HEIGHT);
			context.clip();
			context.fillText(row ? row.label : head, left, top + height / 2 + (row ? 0.5 : 1));
			context.restore();
		}
	}

	private drawGrid(height: number): void {
		const { context, frame } = this;
		context.fillStyle = cssColour("--line");
		for (const { ns } of spanTicks(frame.from, frame.to, frame.width))
			context.fillRect(Math.round(frame.x(ns)), AXIS_HEIGHT, 1, height);
	}

	private drawAxis(width: number): void {
		const { context, frame } = this,
			right = frame.left + frame.width,
			alignAt = (x: number) => {
				if (x - frame.left < EDGE) return "left";
				return x > right - EDGE ? "right" : "center";
			};
		context.fillStyle = cssColour("--bg");
		context.fillRect(0, 0, width, AXIS_HEIGHT);
		context.font = cssFont();
		context.fillStyle = cssColour("--muted");
		context.textBaseline = "middle";
		context.textAlign = "left";
		context.fillText("time", 2, AXIS_HEIGHT / 2);
		for (const { ns, step } of spanTicks(frame.from, frame.to, frame.width)) {
			const x = frame.x(ns);
			context.textAlign = alignAt(x);
			context.fillText(spanText(ns, step), x, AXIS_HEIGHT / 2);
			context.fillRect(Math.round(x), AXIS_HEIGHT - 4, 1, 4);
		}
	}

	private drawPicked(scroll: number): void {
		const { context, frame } = this,
			{ picked, left, width } = frame,
			line = picked ? frame.lineOf(picked.row) : undefined;
		if (!picked || !line || line.y < scroll) return;
		const y = line.y - scroll + AXIS_HEIGHT;
		context.strokeStyle = cssColour("--found");
		context.lineWidth = 1.5;
		if (picked.item < 0) {
			context.strokeRect(1, y + 0.5, left + width, ROW_HEIGHT - 1);
			return;
		}
		const edges = frame.edgesOf(picked);
		if (edges) context.strokeRect(edges[0] - 1, y + 1, Math.max(3, edges[1] - edges[0] + 2), BAR_HEIGHT + 2);
	}

	private drawStretch([from, to]: [number, number], height: number): void {
		this.context.fillStyle = cssColour("--accent");
		this.context.globalAlpha = 0.2;
		this.context.fillRect(from, 0, to - from, height);
		this.context.globalAlpha = 1;
	}
}
