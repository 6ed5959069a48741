// SPDX-License-Identifier: Apache-2.0
// Takes the mouse and the wheel over a timeline: moving along, zooming, choosing an interval. Draws nothing.
import { listen } from "./element.js";
import { TimelineDrag } from "./timelinedrag.js";
import { AXIS_HEIGHT } from "./timelineframe.js";

const WHEEL_STEP = 1.25,
	WHEEL_SHARE = 1000; // of a wheel's steps that move by all that is shown

/** What the input needs to know of a timeline, and what it does with it. Places are px of the canvas. */
export interface TimelineTarget {
	readonly canvas: HTMLCanvasElement;
	/** Of the intervals. */
	readonly left: number;
	readonly width: number;
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

export class TimelineInput {
	drag: TimelineDrag | null = null;

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
		if (event.ctrlKey || y < AXIS_HEIGHT) this.target.zoomAt(x, deltaY > 0 ? WHEEL_STEP : 1 / WHEEL_STEP);
		else if (sideways) this.target.pan(sideways / WHEEL_SHARE);
		else return;
		event.preventDefault();
	}

	private press(event: MouseEvent): void {
		const [x, y] = this.place(event),
			{ from, to, left } = this.target;
		if (event.button !== 0 || x < left) return;
		this.drag = new TimelineDrag(x, from, to, y < AXIS_HEIGHT || event.shiftKey);
	}

	private move(event: MouseEvent): void {
		const [x, y] = this.place(event),
			{ drag, target } = this;
		if (!drag) {
			if (event.target === target.canvas) target.hover(x, y, event);
			return;
		}
		drag.moveTo(x);
		const times = drag.times(target.width);
		if (times) target.zoom(...times);
		target.paint();
	}

	private release(event: MouseEvent): void {
		const { drag, target } = this;
		this.drag = null;
		if (!drag) return;
		const { stretch } = drag;
		if (!drag.hasMoved) target.click(...this.place(event));
		else if (stretch) target.zoom(target.timeAt(stretch[0]), target.timeAt(stretch[1]));
		target.paint();
	}
}
