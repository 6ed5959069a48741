// SPDX-License-Identifier: Apache-2.0
// Shows a timeline on a canvas as large as the window, which scrolls over its rows, and hands on what is done there. What
// is shown is TimelineFrame's, the drawing TimelineDrawing's. Knows nothing of the page around it.
import { perFrame } from "./canvas.js";
import { listen, makeElement } from "./element.js";
import { isDark, onTheme } from "./theme.js";
import { makePalette } from "./timelinecolour.js";
import { TimelineDrawing } from "./timelinedrawing.js";
import { AXIS_HEIGHT, ROW_HEIGHT, TimelineFrame } from "./timelineframe.js";
import { TimelineInput } from "./timelineinput.js";
import { Palette, Row, TimelineHead, WaitKind } from "./timelinemodel.js";
import { Finding, Pick } from "./timelinestate.js";

/** Red, green and blue of a colour of a style. */
function makeColourReader(): (colour: string) => ArrayLike<number> {
	const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true })!;
	return (colour) => {
		context.fillStyle = colour;
		context.fillRect(0, 0, 1, 1);
		return context.getImageData(0, 0, 1, 1).data.subarray(0, 3);
	};
}

export class TimelineView {
	readonly canvas = makeElement("canvas");
	readonly paint = perFrame(() => this.draw());
	/** Milliseconds of the last drawing; for tests. */
	drawn = 0;
	onHover: (pick: Pick | null, x: number, y: number) => void = () => {};
	onPick: (picked: Pick | null) => void = () => {};
	onRange: () => void = () => {};
	private readonly unsized = new TimelineFrame();
	private readonly drawing = new TimelineDrawing(this.canvas, this.unsized);
	private readonly spacer = makeElement("div", "", "flame-spacer");
	private readonly input: TimelineInput;
	private palette: Palette = { rgb: new Uint8Array(0), weight: new Float32Array(0) };
	private kinds: readonly WaitKind[] | null = null;

	constructor(private readonly host: HTMLElement) {
		host.append(this.canvas, this.spacer);
		this.canvas.tabIndex = 0;
		new ResizeObserver(() => this.paint()).observe(host);
		listen(host, "scroll", () => this.paint());
		onTheme(() => this.restyle());
		this.input = new TimelineInput(this);
		listen(this.canvas, "mouseleave", () => this.onHover(null, 0, 0));
	}

	/** Shows a timeline, all of it. */
	show({ kinds, length }: TimelineHead, rows: readonly Row[]): void {
		this.kinds = kinds;
		this.unsized.show(rows, length);
		this.host.scrollTop = 0;
		this.restyle();
		this.fitRows();
	}

	/** Brings out what was found, and leaves out rows without it. */
	bringOut({ hit, shows }: Finding): void {
		this.unsized.found = hit;
		this.unsized.layOut(shows);
		this.fitRows();
	}

	private fitRows(): void {
		this.spacer.style.height = `${this.unsized.height}px`;
		this.paint();
	}

	/** The frame, as large as the window is now. */
	private get frame(): TimelineFrame {
		this.unsized.resize(this.host.clientWidth, this.host.clientHeight);
		return this.unsized;
	}

	get left(): number {
		return this.frame.left;
	}
	get width(): number {
		return this.frame.width;
	}
	get from(): number {
		return this.unsized.from;
	}
	get to(): number {
		return this.unsized.to;
	}
	get picked(): Pick | null {
		return this.unsized.picked;
	}
	get visible(): number[] {
		return this.unsized.visible;
	}

	x(ns: number): number {
		return this.frame.x(ns);
	}

	timeAt(x: number): number {
		return this.frame.timeAt(x);
	}

	/** The middle of a row on the canvas; for tests. */
	rowY(row: number): number {
		const line = this.unsized.lineOf(row);
		return line ? line.y + AXIS_HEIGHT - this.host.scrollTop + ROW_HEIGHT / 2 : -1;
	}

	zoom(from: number, to: number): void {
		this.unsized.zoom(from, to);
		this.changed();
	}

	zoomAt(x: number, factor: number): void {
		this.frame.zoomAt(x, factor);
		this.changed();
	}

	pan(share: number): void {
		this.unsized.pan(share);
		this.changed();
	}

	private changed(): void {
		this.onRange();
		this.paint();
	}

	pick(pick: Pick | null): void {
		const { frame, host } = this;
		frame.picked = pick;
		if (pick) {
			const scroll = frame.scrollTo(pick.row, host.scrollTop);
			if (scroll !== host.scrollTop) host.scrollTop = scroll;
			if (frame.moveTo(pick)) this.changed();
		}
		this.onPick(pick);
		this.paint();
	}

	private at(x: number, y: number): Pick | null {
		return this.frame.at(x, y, this.host.scrollTop);
	}

	hover(x: number, y: number, event: MouseEvent): void {
		this.onHover(this.at(x, y), event.clientX, event.clientY);
	}

	click(x: number, y: number): void {
		this.pick(this.at(x, y));
	}

	/** Zooms to an interval. */
	zoomIntoAt(x: number, y: number): void {
		const pick = this.at(x, y);
		if (pick && this.unsized.zoomInto(pick)) this.changed();
	}

	private restyle(): void {
		this.palette = makePalette(this.kinds ?? [], isDark(), makeColourReader());
		this.paint();
	}

	/** Draws now; for tests and measuring. */
	draw(): void {
		const began = performance.now(),
			{ clientWidth, clientHeight, scrollTop } = this.host;
		if (!this.kinds) return;
		this.unsized.resize(clientWidth, clientHeight);
		this.drawing.draw(clientWidth, clientHeight, scrollTop, this.palette, this.input.drag?.stretch ?? null);
		this.drawn = performance.now() - began;
	}
}
