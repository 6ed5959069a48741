// SPDX-License-Identifier: Apache-2.0
// Mouse and wheel over a timeline: moving along, zooming, choosing an interval. Draws nothing.
import { listen } from "./element.js";

const DRAG_MIN = 3; // px; less is a click
const WHEEL_STEP = 1.25;

/** What the input needs to know of a timeline, and what it does with it. Places are px of the canvas. */
export interface TimelineTarget {
	readonly canvas: HTMLCanvasElement;
	/** Of the intervals. */
	readonly left: number;
	readonly width: number;
	readonly axisHeight: number;
	/** Times that are shown, in ns. */
	readonly from: number;
	readonly to: number;
	timeAt(x: number): number;
	zoom(from: number, to: number): void;
	zoomAt(x: number, factor: number): void;
	pan(share: number): void;
	hover(x: number, y: number, event: MouseEvent): void;
	click(x: number, y: number): void;
	zoomIntoAt(x: number, y: number): void;
	paint(): void;
}

export interface Drag {
	x: number; // px: where it began, and where it is
	now: number;
	from: number; // ns: what was shown when it began
	to: number;
	moved: boolean;
	select: boolean; // a stretch is being selected; else the timeline moves along
}

export class TimelineInput {
	drag: Drag | null = null;

	constructor(private readonly target: TimelineTarget) {
		const { canvas } = target;
		listen(canvas, "wheel", (event) => this.wheel(event), { passive: false });
		listen(canvas, "mousedown", (event) => this.press(event));
		listen(window, "mousemove", (event) => this.move(event));
		listen(window, "mouseup", (event) => this.release(event));
		listen(canvas, "dblclick", (event) => target.zoomIntoAt(...this.place(event)));
	}

	private place(event: MouseEvent): [number, number] {
		const box = this.target.canvas.getBoundingClientRect();
		return [event.clientX - box.x, event.clientY - box.y];
	}

	private wheel(event: WheelEvent): void {
		const [x, y] = this.place(event),
			{ deltaX, deltaY } = event,
			vertical = event.shiftKey ? deltaY : 0,
			sideways = Math.abs(deltaX) > Math.abs(deltaY) ? deltaX : vertical;
		if (event.ctrlKey || y < this.target.axisHeight)
			this.target.zoomAt(x, deltaY > 0 ? WHEEL_STEP : 1 / WHEEL_STEP);
		else if (sideways) this.target.pan(sideways / 1000);
		else return;
		event.preventDefault();
	}

	private press(event: MouseEvent): void {
		const [x, y] = this.place(event),
			{ from, to, left, axisHeight } = this.target;
		if (event.button !== 0 || x < left) return;
		this.drag = { x, now: x, from, to, moved: false, select: y < axisHeight || event.shiftKey };
	}

	private move(event: MouseEvent): void {
		const [x, y] = this.place(event),
			{ drag, target } = this;
		if (!drag) {
			if (event.target === target.canvas) target.hover(x, y, event);
			return;
		}
		drag.now = x;
		drag.moved ||= Math.abs(x - drag.x) > DRAG_MIN;
		if (drag.moved && !drag.select) {
			const by = ((drag.x - x) / target.width) * (drag.to - drag.from);
			target.zoom(drag.from + by, drag.to + by);
		}
		target.paint();
	}

	private release(event: MouseEvent): void {
		const { drag, target } = this;
		this.drag = null;
		if (!drag) return;
		if (!drag.moved) target.click(...this.place(event));
		else if (drag.select)
			target.zoom(target.timeAt(Math.min(drag.x, drag.now)), target.timeAt(Math.max(drag.x, drag.now)));
		target.paint();
	}
}
