// SPDX-License-Identifier: Apache-2.0
// What a heat map has beside its cells: axes, what is missing, lines of percentiles, the cursor.
import { amount } from "./amount.js";
import { HeatFrame, LEFT, TOP } from "./heatframe.js";
import { Cell, CellRange } from "./heatmodel.js";
import { cssColour } from "./theme.js";
import { timeText } from "./ticks.js";

const LOSS_HEIGHT = 4,
	NOTE_HEIGHT = 5,
	LABEL_WIDTH = 90,
	TICK = 4; // px

export class HeatDrawing {
	constructor(
		private readonly context: CanvasRenderingContext2D,
		private readonly frame: HeatFrame,
	) {}

	drawBorder(): void {
		this.context.strokeStyle = cssColour("--line");
		this.context.strokeRect(LEFT - 0.5, TOP - 0.5, this.frame.width + 1, this.frame.height + 1);
	}

	drawAxes(): void {
		const { context, frame } = this;
		context.fillStyle = cssColour("--muted");
		context.textAlign = "right";
		context.textBaseline = "middle";
		for (const { value, y } of frame.valueTicks()) {
			context.fillText(value ? amount(value, frame.head.unit) : "0", LEFT - 8, Math.max(y, 8));
			context.fillRect(LEFT - 5, y - 0.5, TICK, 1);
		}
		context.fillText("UTC", LEFT - 8, frame.bottom + 18);
		this.drawTimes();
	}

	private drawTimes(): void {
		const { context, frame } = this,
			{ times, exact } = frame.timeTicks();
		for (const time of times) {
			const x = frame.timeX(time),
				isFirst = x < LEFT + LABEL_WIDTH / 2,
				isLast = x > LEFT + frame.width - LABEL_WIDTH / 3;
			context.textAlign = isFirst ? "left" : isLast ? "right" : "center";
			context.fillText(timeText(time, exact), x, frame.bottom + 18);
			context.fillRect(x - 0.5, frame.bottom + 1, 1, TICK);
		}
	}

	/** Below the cells: events were lost. Above: dwell did not run, or without some of its probes. */
	drawMissing(): void {
		const { context, frame } = this;
		context.fillStyle = cssColour("--bad");
		frame.head.lost.forEach((count, column) => {
			if (!count || !frame.isInside(column)) return;
			const x = frame.x(column);
			context.fillRect(x, frame.bottom, Math.max(1, frame.x(column + 1) - x), LOSS_HEIGHT);
		});
		context.fillStyle = cssColour("--limit");
		for (const [first, , columns] of frame.head.notes ?? []) {
			const x = frame.x(Math.max(first, frame.from)),
				end = frame.x(Math.min(first + columns, frame.to));
			if (end > x) context.fillRect(x, TOP - NOTE_HEIGHT - 1, Math.max(4, end - x), NOTE_HEIGHT);
		}
	}

	/**
	 * A line through the middles of columns. The first and the last column of a stretch are crossed as a whole, so that
	 * a single column can be seen, too.
	 */
	drawLine(values: readonly (number | null)[], dash: number[]): void {
		const { context, frame } = this;
		let last: number | null = null; // height of the column before
		context.beginPath();
		for (let column = frame.from; column <= frame.to; column++) {
			const value = column < frame.to ? (values[column] ?? null) : null,
				y: number | null = value === null ? null : frame.valueY(value);
			if (y === null && last !== null) context.lineTo(frame.x(column), last);
			if (y !== null && last === null) context.moveTo(frame.x(column), y);
			if (y !== null) context.lineTo(frame.x(column + 0.5), y);
			last = y;
		}
		context.setLineDash(dash);
		this.stroke("--bg", 3, 0.6);
		this.stroke("--text", 1.3, 1);
		context.setLineDash([]);
	}

	private stroke(colour: string, width: number, opacity: number): void {
		const { context } = this;
		context.lineWidth = width;
		context.strokeStyle = cssColour(colour);
		context.globalAlpha = opacity;
		context.stroke();
		context.globalAlpha = 1;
	}

	drawCursor(cell: Cell): void {
		if (this.frame.isInside(cell.column)) this.drawRange({ from: cell, to: cell });
	}

	drawRange({ from, to }: CellRange): void {
		const { context, frame } = this,
			x = frame.x(from.column),
			y = frame.rowY(to.row + 1);
		context.strokeStyle = cssColour("--found");
		context.lineWidth = 2;
		context.strokeRect(x - 1, y - 1, frame.x(to.column + 1) - x + 2, frame.rowY(from.row) - y + 2);
	}

	/** The columns that are being selected, in px. */
	drawDragged(from: number, to: number): void {
		const { context, frame } = this;
		context.fillStyle = cssColour("--accent");
		context.globalAlpha = 0.25;
		context.fillRect(Math.min(from, to), TOP, Math.abs(to - from), frame.height);
		context.globalAlpha = 1;
	}
}
