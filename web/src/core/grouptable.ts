// SPDX-License-Identifier: Apache-2.0
// The constructors of a core with counts and bytes: sorted by a column, searched by name.
import { amount, number } from "../amount.js";
import { listen, makeButton, makeElement, makeLink, makeNote, numberCell, replaceChildren } from "../element.js";
import { chooseGroups, GroupLine, GroupOrder } from "./coredata.js";

const ROWS_MAX = 500;
const COLUMNS: readonly (readonly [GroupOrder, string])[] = [
	["count", "objects"],
	["bytes", "bytes"],
	["constructor", "constructor: properties"],
];

export class GroupTable {
	readonly element = makeElement("div");
	private readonly search = makeElement("input");
	private readonly rows = makeElement("div", "", "rows");
	private order: GroupOrder = "bytes";
	private selected = "";

	/** address: of what shows the objects that are like one. */
	constructor(
		private readonly groups: readonly GroupLine[],
		private readonly address: (like: string) => string,
	) {
		this.search.placeholder = "constructor or property";
		this.search.ariaLabel = "search";
		this.search.type = "search";
		listen(this.search, "input", () => this.draw());
		this.element.append(this.search, this.rows);
		this.draw();
	}

	select(like: string): void {
		this.selected = like;
		this.draw();
	}

	private draw(): void {
		const table = makeElement("table"),
			chosen = chooseGroups(this.groups, this.search.value, this.order);
		table.append(makeElement("caption", "Objects by constructor", "sr"));
		table.createTHead().append(this.makeHead());
		table.createTBody().append(...chosen.slice(0, ROWS_MAX).map((group) => this.makeRow(group)));
		replaceChildren(this.rows, table);
		if (!chosen.length) this.rows.append(makeNote("None is called so."));
		if (chosen.length > ROWS_MAX)
			this.rows.append(makeNote(`The first ${ROWS_MAX} of ${number(chosen.length)}. Search to see others.`));
	}

	private makeHead(): HTMLElement {
		const row = makeElement("tr");
		for (const [order, text] of COLUMNS) {
			const sorted = order === this.order,
				cell = makeElement("th", "", order === "constructor" ? "" : "n"),
				arrow = order === "constructor" ? " ↑" : " ↓";
			cell.ariaSort = sorted ? (order === "constructor" ? "ascending" : "descending") : "none";
			cell.append(
				makeButton(text + (sorted ? arrow : ""), `sort by ${text}`, () => {
					this.order = order;
					this.draw();
				}),
			);
			row.append(cell);
		}
		return row;
	}

	private makeRow(group: GroupLine): HTMLElement {
		const row = makeElement("tr"),
			name = makeElement("td", "", "name"),
			link = makeLink(group.constructor || "(none)", this.address(group.object), "its objects");
		if (group.object === this.selected) link.ariaCurrent = "true";
		name.append(link);
		if (group.names) name.append(makeElement("span", ` ${group.names}`, "muted"));
		row.append(numberCell(number(group.count)), numberCell(amount(group.bytes, "bytes")), name);
		return row;
	}
}
