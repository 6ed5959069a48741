// SPDX-License-Identifier: Apache-2.0
// The slow events of the live view as a table, the newest first, and what was lost.
import { LossText } from "./losses.js";
import { showLosses } from "./lossline.js";
import { stackOf } from "./output.js";
import { SlowEvent } from "./slowevents.js";
import { SECOND } from "./trackerstate.js";
import { amount } from "../amount.js";
import { addRow, keepChildren, listen, makeElement, makeTable, numberCell } from "../element.js";

export class SlowTable {
	readonly element = makeElement("section", "", "picture");
	/** Idle waits are shown, or not. */
	onToggle: () => void = () => {};
	private readonly body: HTMLTableSectionElement;
	private readonly nothing = addRow(makeElement("tbody"), "", makeElement("td", "", "muted"));
	private readonly idleToggle = makeElement("input");
	private readonly losses = makeElement("span", "", "losses");
	private readonly rows = new WeakMap<SlowEvent, HTMLTableRowElement>();

	constructor() {
		const title = makeElement("h2", "Slow events "),
			label = makeElement("label", "", "muted"),
			heads = [["ago", "n"], ["tracker"], ["thread"], ["delay", "n"], ["cause"]] as const,
			{ table, body } = makeTable("slow", heads);
		this.body = body;
		this.nothing.cells[0]!.colSpan = heads.length;
		this.idleToggle.type = "checkbox";
		listen(this.idleToggle, "change", () => this.onToggle());
		label.append(this.idleToggle, " idle waits too");
		this.losses.title = "from table loss of recording live, since this page was opened";
		title.append(label, " ", this.losses);
		this.element.append(title, table);
	}

	get showsIdle(): boolean {
		return this.idleToggle.checked;
	}

	drawLosses(texts: readonly LossText[]): void {
		showLosses(this.losses, texts);
	}

	/** newest: ns. origin: where the slow events of a tracker come from. */
	draw(events: readonly SlowEvent[], newest: number, origin: (tracker: string) => string, nothing: string): void {
		this.nothing.cells[0]!.textContent = nothing;
		const rows = events.map((event) => {
			const row = this.rows.get(event) ?? this.makeRow(event, origin(event.tracker));
			row.cells[0]!.textContent = `${Math.floor((newest - event.end) / SECOND)} s`;
			return row;
		});
		keepChildren(this.body, rows.length ? rows : [this.nothing]);
	}

	private makeRow(event: SlowEvent, origin: string): HTMLTableRowElement {
		const stack = Object.values(event.attributes)
				.map(stackOf)
				.find((frames) => frames !== null),
			row = addRow(
				makeElement("tbody"),
				[`from ${origin}: ended ${event.end}`, ...(stack ?? [])].join("\n"),
				numberCell(""),
				event.tracker,
				`${event.comm} ${event.tid}`,
				numberCell(amount(event.delay, "ns")),
				makeElement("td", event.why, "why"),
			);
		this.rows.set(event, row);
		return row;
	}
}
