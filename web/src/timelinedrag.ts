// SPDX-License-Identifier: Apache-2.0
// Holds how far a timeline is dragged, and whether that moves it along or selects a stretch. Knows no page.

const DRAG_LEAST = 3; // px; less is a click

export class TimelineDrag {
	/** More than a click. */
	hasMoved = false;
	private now: number;

	/** began: px of the canvas; from, to: what was shown, in ns; selects: a stretch; else the timeline moves along. */
	constructor(
		private readonly began: number,
		private readonly from: number,
		private readonly to: number,
		readonly selects: boolean,
	) {
		this.now = began;
	}

	moveTo(x: number): void {
		this.now = x;
		this.hasMoved ||= Math.abs(x - this.began) > DRAG_LEAST;
	}

	/** Edges of the stretch in px, the left one first; null: none is selected. */
	get stretch(): [number, number] | null {
		if (!this.selects || !this.hasMoved) return null;
		return [Math.min(this.began, this.now), Math.max(this.began, this.now)];
	}

	/** Times that are to be seen, on `width` px; null: those that are. */
	times(width: number): [number, number] | null {
		if (this.selects || !this.hasMoved) return null;
		const by = ((this.began - this.now) / width) * (this.to - this.from);
		return [this.from + by, this.to + by];
	}
}
