// SPDX-License-Identifier: Apache-2.0
// The row of one tracker in the live view: its heat map, its numbers, and why there are none.
import { HeatStrip } from "./heatstrip.js";
import { TrackerState } from "./trackerstate.js";
import { makeElement, numberCell } from "../element.js";

export const NUMBERS = ["at once", "per s", "median", "99 %", "longest"];

export class TrackerPane {
	readonly row = makeElement("tr");
	readonly strip: HeatStrip;
	private readonly numbers = NUMBERS.map(() => numberCell(""));
	private readonly why = makeElement("span", "", "lossy");

	constructor(
		readonly state: TrackerState,
		what: string,
	) {
		const head = makeElement("th", state.name),
			cell = makeElement("td", "", "heat");
		head.scope = "row";
		head.append(makeElement("span", what, "muted"), this.why);
		this.strip = new HeatStrip(state.data, `${state.name}, ${what}`);
		this.strip.origin = state.origin("hist");
		cell.append(this.strip.element);
		this.row.append(head, cell, ...this.numbers);
		this.numbers.forEach((number, index) => {
			number.dataset["label"] = NUMBERS[index]!;
		});
	}

	/** The first reason stands there; all are told where the pointer is. */
	drawReasons(): void {
		const { reasons } = this.state;
		this.why.textContent = reasons[0] ?? "";
		this.why.title = reasons.map((reason) => `${reason}\n`).join("");
	}

	draw(now: number): void {
		this.state.numbers(now).forEach((text, index) => {
			const cell = this.numbers[index]!,
				from = this.state.numbersFrom(index, now),
				title = `from ${this.state.origin("hist")}, seconds ${from} to ${now} since the machine started`;
			cell.textContent = text;
			if (cell.title !== title) cell.title = title;
		});
		this.strip.now = now;
		this.strip.draw();
	}
}
