// SPDX-License-Identifier: Apache-2.0
// Holds a range that is chosen in the heat map of a tracker of the live view, in its seconds and rows; and writes and
// reads the address that says so. Knows no page.
import { Range, rowOf, rowRange } from "./heatdata.js";
import { putSelection, Selection } from "./selection.js";
import { SlowEvent } from "./slowevents.js";
import { Source } from "./stretch.js";
import { SECOND } from "./trackerstate.js";

export class ChosenRange {
	constructor(
		readonly tracker: string,
		readonly range: Range,
	) {}

	/** The seconds and rows of times and delays. */
	static of({ tracker, from, to, low, high }: Selection): ChosenRange {
		return new ChosenRange(tracker, {
			from: Math.round(from / SECOND),
			to: Math.round(to / SECOND) - 1,
			low: rowOf(low + 1),
			high: rowOf(high - 1),
		});
	}

	/** Its times and delays in ns; ends are not part of it. */
	get selection(): Selection {
		const { from, to, low, high } = this.range;
		return {
			tracker: this.tracker,
			from: from * SECOND,
			to: (to + 1) * SECOND,
			low: rowRange(low)[0],
			high: rowRange(high)[1],
		};
	}

	has({ tracker, end, delay }: SlowEvent): boolean {
		const { from, to, low, high } = this.selection;
		return tracker === this.tracker && end >= from && end < to && delay >= low && delay < high;
	}
}

/** The part of the address that says what is chosen; times of the calendar, which mean the same in every run. */
export function overviewLink(
	source: Source | null,
	range: Selection | null,
	other: Selection | null,
	stacks: string,
): string {
	const query = new URLSearchParams();
	if (range && source) putSelection(query, source, range, other, stacks);
	return query.size ? `overview?${query.toString()}` : "overview";
}
