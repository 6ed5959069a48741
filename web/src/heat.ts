// SPDX-License-Identifier: Apache-2.0
// A heat map on a canvas. Cells are painted into a picture with a pixel for each, which is scaled; what belongs to them
// is drawn over it. Knows nothing of the page around it.
import { perFrame, prepare } from "./canvas.js";
import { listen } from "./element.js";
import { HeatCells } from "./heatcells.js";
import { HeatDrawing } from "./heatdrawing.js";
import { HeatFrame, LEFT, TOP } from "./heatframe.js";
import { Cell, CellRange, HeatHead, Plane, transpose } from "./heatmodel.js";
import { cssFont, isDark, onTheme } from "./theme.js";

const DRAG_MIN = 6; // px; less is a click

export class HeatView {
	readonly canvas = document.createElement("canvas");
	readonly cells: HeatCells;
	readonly frame: HeatFrame;
	readonly redraw = perFrame(() => this.draw());
	/** Whether lines of percentiles are drawn. */
	lines = true;
	/** The range that was chosen, or is being drawn. */
	chosen: CellRange | null = null;
	/** Milliseconds that the last painting took; for tests. */
	drawn = 0;
	onCell: (cell: Cell | null, x: number, y: number) => void = () => {};
	onPick: (cell: Cell | null) => void = () => {};
	/** When set, dragging chooses a range of cells; else it zooms. */
	onRange: ((range: CellRange) => void) | null = null;
	/** A pixel for each cell. */
	readonly picture = document.createElement("canvas");
	private readonly context = this.canvas.getContext("2d")!;
	private readonly drawing: HeatDrawing;
	private image: ImageData | null = null;
	private cursor: Cell | null = null;
	private drag: { from: number; to: number } | null = null; // px
	private rangeBegin: Cell | null = null; // of the range that is being drawn

	constructor(
		private readonly host: HTMLElement,
		head: HeatHead,
		planes: Plane[],
	) {
		this.cells = new HeatCells(head, planes);
		this.frame = new HeatFrame(head);
		this.drawing = new HeatDrawing(this.context, this.frame);
		host.append(this.canvas);
		new ResizeObserver(() => this.redraw()).observe(host);
		onTheme(() => this.paint());
		this.listen();
		this.paint();
	}

	/** Shows newer cells of the same map. */
	update(head: HeatHead, planes: Plane[]): void {
		this.frame.update(head);
		this.cells.update(head, planes);
		this.paint();
	}

	get picked(): Cell | null {
		return this.cursor;
	}

	zoom(from: number, to: number): void {
		this.frame.zoom(from, to);
		this.redraw();
	}

	pick(cell: Cell | null): void {
		this.cursor = cell;
		this.redraw();
		this.onPick(cell);
	}

	/** Counts again, after keys were selected, and paints. */
	recount(): void {
		this.cells.recount();
		this.paint();
	}

	/** Gives all cells their colours. */
	paint(): void {
		const { columns, rows } = this.cells.head,
			began = performance.now(),
			pixels = this.cells.paint(isDark());
		if (this.image?.width !== columns || this.image.height !== rows) {
			this.image = new ImageData(columns, rows);
			this.picture.width = columns;
			this.picture.height = rows;
		}
		transpose(pixels, columns, rows, new Uint32Array(this.image.data.buffer));
		this.picture.getContext("2d")!.putImageData(this.image, 0, 0);
		this.drawn = performance.now() - began;
		this.redraw();
	}

	private listen(): void {
		const { canvas } = this;
		listen(canvas, "pointermove", (event) => this.move(event));
		listen(canvas, "pointerleave", () => this.onCell(null, 0, 0));
		listen(canvas, "pointerdown", (event) => {
			const { offsetX: x, offsetY: y } = event;
			if (this.onRange) this.rangeBegin = this.frame.nearestCell(x, y);
			else this.drag = { from: x, to: x };
			canvas.setPointerCapture(event.pointerId);
		});
		listen(canvas, "pointerup", (event) => this.release(event));
	}

	private move(event: PointerEvent): void {
		const { offsetX: x, offsetY: y } = event;
		if (this.rangeBegin && event.buttons) this.choose(this.rangeBegin, this.frame.nearestCell(x, y));
		if (this.drag && event.buttons) {
			this.drag.to = x;
			this.redraw();
		}
		this.onCell(this.frame.cellAt(x, y), event.clientX, event.clientY);
	}

	private release({ offsetX: x, offsetY: y }: PointerEvent): void {
		const { drag, rangeBegin } = this;
		this.drag = this.rangeBegin = null;
		if (rangeBegin) this.onRange!(this.choose(rangeBegin, this.frame.nearestCell(x, y)));
		else if (drag && Math.abs(drag.to - drag.from) > DRAG_MIN)
			this.zoom(
				this.frame.columnAt(Math.min(drag.from, drag.to)),
				this.frame.columnAt(Math.max(drag.from, drag.to)) + 1,
			);
		else this.pick(this.frame.cellAt(x, y));
	}

	private choose(first: Cell, second: Cell): CellRange {
		const { min, max } = Math;
		this.chosen = {
			from: { column: min(first.column, second.column), row: min(first.row, second.row) },
			to: { column: max(first.column, second.column), row: max(first.row, second.row) },
		};
		this.redraw();
		return this.chosen;
	}

	private draw(): void {
		const { context, drawing, frame, host } = this,
			{ head } = frame;
		if (!prepare(this.canvas, context, host.clientWidth, host.clientHeight)) return;
		frame.resize(host.clientWidth, host.clientHeight);
		context.font = cssFont();
		context.imageSmoothingEnabled = false;
		const columns = frame.to - frame.from;
		context.drawImage(this.picture, frame.from, 0, columns, head.rows, LEFT, TOP, frame.width, frame.height);
		drawing.drawBorder();
		drawing.drawAxes();
		drawing.drawMissing();
		if (this.lines) {
			drawing.drawLine(head.p50, []);
			drawing.drawLine(head.p99, [4, 2]);
			drawing.drawLine(head.avg, [1, 3]);
		}
		this.drawSelection();
	}

	private drawSelection(): void {
		if (this.cursor) this.drawing.drawCursor(this.cursor);
		if (this.chosen) this.drawing.drawRange(this.chosen);
		if (this.drag && Math.abs(this.drag.to - this.drag.from) > DRAG_MIN)
			this.drawing.drawDragged(this.drag.from, this.drag.to);
	}
}
