// SPDX-License-Identifier: Apache-2.0
// Draws a flame graph on a canvas that is as large as what can be seen of it, and hands on what the pointer does there.
// What is shown is FlameModel's; only what is visible is drawn. Knows nothing of the page around it.
import { INK } from "./appearance.js";
import { perFrame, prepare } from "./canvas.js";
import { listen, makeElement } from "./element.js";
import { edgesOf, FlameBox, rowBoxes } from "./flameboxes.js";
import { FlameColours, FlameOptions } from "./flamecolours.js";
import { FlameModel, FlameRow, Place, ROW_HEIGHT, Towards } from "./flamemodel.js";
import { FlamePicture } from "./flamepictures.js";
import { TextFit } from "./textfit.js";
import { cssColour, cssFont, isDark, onTheme } from "./theme.js";

const PAD = 3, // px between a frame's edge and its text
	MARKED_INK = "#fff";

export class FlameView {
	readonly canvas = makeElement("canvas");
	readonly redraw = perFrame(() => this.draw());
	/** Milliseconds of the last drawing; for tests. */
	drawn = 0;
	onHover: (place: Place | null, x: number, y: number) => void = () => {};
	onZoom: () => void = () => {};
	onSelect: () => void = () => {};
	private readonly model: FlameModel;
	private readonly colours: FlameColours;
	private readonly labels = new TextFit();
	private readonly spacer = makeElement("div", "", "flame-spacer");
	private readonly context = this.canvas.getContext("2d")!;

	constructor(
		private readonly host: HTMLElement,
		options: FlameOptions,
	) {
		this.model = new FlameModel(options.unknown);
		this.colours = new FlameColours(options);
		host.classList.add("flame");
		host.append(this.canvas, this.spacer);
		listen(host, "scroll", () => this.redraw());
		new ResizeObserver(() => this.redraw()).observe(host);
		onTheme(() => this.restyle());
		listen(this.canvas, "pointermove", (event) =>
			this.onHover(this.at(event.offsetX, event.offsetY), event.clientX, event.clientY),
		);
		listen(this.canvas, "pointerleave", () => this.onHover(null, 0, 0));
		listen(this.canvas, "click", (event) => {
			const place = this.at(event.offsetX, event.offsetY);
			if (place) {
				this.select(place);
				this.zoom(place);
			}
		});
		this.restyle();
	}

	show(picture: FlamePicture, isInverted: boolean): void {
		this.model.show(picture, isInverted);
		this.spacer.style.height = `${this.model.height}px`;
		this.host.scrollTop = this.model.rootScroll(this.host.clientHeight);
		this.redraw();
	}

	get zoomedAt(): Place | null {
		return this.model.zoomed;
	}
	get selectedAt(): Place | null {
		return this.model.selected;
	}

	/** Shows a frame at full width; null: everything. */
	zoom(place: Place | null): void {
		this.model.zoom(place);
		this.reveal(place);
		this.redraw();
		this.onZoom();
	}

	select(place: Place | null): void {
		this.model.selected = place;
		this.reveal(place);
		this.redraw();
		this.onSelect();
	}

	/** Selects the neighbour of the selected frame. */
	move(towards: Towards): void {
		const place = this.model.neighbour(towards);
		if (place) this.select(place);
	}

	/** Frames (by number) to be marked; null: none. */
	mark(found: Uint8Array | null): void {
		this.model.found = found;
		this.redraw();
	}

	/** What a frame is called. */
	name({ tree, node }: Place): string {
		return this.model.name(tree, tree.frame[node]!);
	}

	private reveal(place: Place | null): void {
		const { scrollTop, clientHeight } = this.host,
			scroll = place ? this.model.scrollTo(place, scrollTop, clientHeight) : scrollTop;
		if (scroll !== scrollTop) this.host.scrollTop = scroll;
	}

	/** px from the upper edge of what is seen to the first row: below 0, if it is scrolled. */
	private get top(): number {
		return this.model.above(this.host.clientHeight) - this.host.scrollTop;
	}

	private at(x: number, y: number): Place | null {
		return this.model.at(x / this.canvas.clientWidth, y - this.top);
	}

	// -- drawing --

	private restyle(): void {
		this.colours.make(isDark());
		this.context.font = cssFont();
		this.labels.measure((text) => this.context.measureText(text).width);
		this.redraw();
	}

	private draw(): void {
		const { clientWidth: width, clientHeight: height } = this.host,
			{ context, model, top } = this,
			began = performance.now();
		if (model.isEmpty || !prepare(this.canvas, context, width, height)) return;
		context.font = cssFont();
		context.textBaseline = "middle";
		const accent = cssColour("--found"),
			text = cssColour("--text"),
			first = Math.max(0, Math.floor(-top / ROW_HEIGHT));
		for (let row = first; row < model.rows.length && row * ROW_HEIGHT + top < height; row++)
			this.drawRow(model.rows[row]!, row * ROW_HEIGHT + top, width, accent, text);
		this.drawSelected(width, text);
		this.drawn = performance.now() - began;
	}

	private drawRow(row: FlameRow, y: number, width: number, accent: string, text: string): void {
		const { context } = this;
		for (const box of rowBoxes(this.model, row, width)) {
			context.globalAlpha = box.opacity;
			context.fillStyle = box.isMarked ? accent : this.colours.of(row.tree, box.node);
			context.fillRect(box.x, y, box.width, ROW_HEIGHT - 1);
			context.globalAlpha = 1;
			if (box.room) this.drawLabel(row, box, y, text);
		}
	}

	private drawLabel({ tree }: FlameRow, box: FlameBox, y: number, text: string): void {
		const label = this.labels.cut(this.name({ tree, node: box.node }), box.room - 2 * PAD),
			ink = box.isBelow ? text : INK;
		if (!label) return;
		this.context.fillStyle = box.isMarked ? MARKED_INK : ink;
		this.context.fillText(label, box.x + PAD, y + ROW_HEIGHT / 2);
	}

	private drawSelected(width: number, text: string): void {
		const { selected } = this.model;
		if (!selected) return;
		const row = this.model.rowOf(selected),
			[left, right] = edgesOf(this.model, selected.tree, selected.node, width);
		if (row < 0 || right <= left) return;
		this.context.strokeStyle = text;
		this.context.lineWidth = 1.5;
		this.context.strokeRect(
			left + 0.75,
			row * ROW_HEIGHT + this.top + 0.75,
			Math.max(right - left - 1.5, 1),
			ROW_HEIGHT - 2,
		);
	}
}
