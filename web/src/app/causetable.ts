// SPDX-License-Identifier: Apache-2.0
// A table of the causes of the last minute: which processes waited, and for what.
import { CauseSum } from "./slowevents.js";
import { amount, number } from "../amount.js";
import { addRow, makeElement, makeTable, numberCell } from "../element.js";

const SHOWN = 5;
const NO_BREAK_SPACE = "\u00a0"; // an empty row is as high as the others

export class CauseTable {
	readonly element = makeElement("section");
	private readonly rows: HTMLTableRowElement[];

	constructor() {
		const heads = [
				["process"],
				["waited for"],
				["tracker"],
				["times", "n"],
				["in all", "n"],
				["longest", "n"],
			] as const,
			{ table, body } = makeTable("slow", heads),
			makeCells = () => [makeElement("td", "", "why"), "", numberCell(""), numberCell(""), numberCell("")];
		this.rows = Array.from({ length: SHOWN }, () => addRow(body, "", "", ...makeCells()));
		this.element.append(makeElement("h2", "Slow in the last minute: the longest waits"), table);
	}

	/** since: ns. from: which table has the slow events of a tracker. Rows stay where they are. */
	draw(sums: readonly CauseSum[], since: number, from: (tracker: string) => string): void {
		this.rows.forEach((row, index) => {
			const sum = sums[index];
			row.className = sum?.event.peer ? "muted" : "";
			row.title = sum ? `from ${from(sum.event.tracker)}: ended ${since} and later` : "";
			this.textsOf(sum, index).forEach((text, cell) => {
				row.cells[cell]!.textContent = text;
			});
		});
	}

	private textsOf(sum: CauseSum | undefined, index: number): string[] {
		if (!sum) return [index ? NO_BREAK_SPACE : "nothing", "", "", "", "", ""];
		const { comm, cause, tracker } = sum.event;
		return [comm, cause, tracker, number(sum.count), amount(sum.total, "ns"), amount(sum.longest, "ns")];
	}
}
