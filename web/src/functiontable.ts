// SPDX-License-Identifier: Apache-2.0
// The functions of a flame graph as a table that can be sorted.
import { amount, percent } from "./amount.js";
import { makeButton, makeElement, replaceChildren } from "./element.js";
import { FlameMeta } from "./flamemeta.js";
import { Tree, Usage, usages } from "./tree.js";

const ROWS_MAX = 500;
const COLUMNS = ["self", "total"] as const;
const TITLES = { self: "itself", total: "with callees" };

interface Order {
	column: (typeof COLUMNS)[number];
	weight: number;
}

export class FunctionTable {
	readonly element = makeElement("div", "", "table");
	/** A function was chosen. */
	onFunction: (frame: number) => void = () => {};
	private found: Uint8Array | null = null;
	private order: Order;
	private readonly sides: string[];

	constructor(
		private readonly meta: FlameMeta,
		private readonly tree: Tree,
	) {
		this.sides = meta.diff ? [meta.before, meta.after] : [""];
		this.order = { column: "self", weight: meta.diff ? 1 : 0 };
	}

	/** found: functions that are shown; null: all. */
	show(found: Uint8Array | null): void {
		this.found = found;
		this.draw();
	}

	private rows(): Usage[] {
		const { column, weight } = this.order;
		return usages(this.tree)
			.filter((usage) => !this.found || this.found[usage.frame])
			.sort((a, b) => b[column][weight]! - a[column][weight]! || a.frame - b.frame);
	}

	private draw(): void {
		const table = makeElement("table"),
			rows = this.rows(),
			caption = "Functions by what they used themselves, and with what they called";
		table.append(makeElement("caption", caption, "sr"));
		table.createTHead().append(this.makeHead());
		table.createTBody().append(...rows.slice(0, ROWS_MAX).map((usage) => this.makeRow(usage)));
		replaceChildren(this.element, table);
		if (rows.length > ROWS_MAX) {
			const note = `The first ${ROWS_MAX} of ${rows.length} functions. Search to see others.`;
			this.element.append(makeElement("p", note, "muted"));
		}
	}

	private makeHead(): HTMLElement {
		const row = makeElement("tr");
		row.append(makeElement("th", "Function"), makeElement("th", "Where"));
		for (const column of COLUMNS)
			this.sides.forEach((side, weight) => {
				const cell = makeElement("th", "", "n"),
					name = TITLES[column] + (side ? `, ${side}` : ""),
					sorted = this.order.column === column && this.order.weight === weight;
				cell.ariaSort = sorted ? "descending" : "none";
				cell.append(
					makeButton(name + (sorted ? " ↓" : ""), `sort by ${name}`, () => {
						this.order = { column, weight };
						this.draw();
					}),
				);
				row.append(cell, makeElement("th", "", "n"));
			});
		return row;
	}

	private makeRow(usage: Usage): HTMLElement {
		const { frames, whole } = this.tree,
			row = makeElement("tr"),
			name = makeElement("td"),
			button = makeButton(frames.name[usage.frame]!, "callers and callees", () => this.onFunction(usage.frame)),
			where = frames.module[usage.frame] || this.meta.kinds[frames.kind[usage.frame]!]!.text;
		button.className = "link";
		name.append(button);
		row.append(name, makeElement("td", where, "muted"));
		for (const column of COLUMNS)
			this.sides.forEach((_, weight) => {
				const value = usage[column][weight]!;
				row.append(
					makeElement("td", value ? amount(value, this.meta.unit) : "", "n"),
					makeElement("td", value ? percent(value / whole[weight]!) : "", "n muted"),
				);
			});
		return row;
	}
}
