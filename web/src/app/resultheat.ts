// SPDX-License-Identifier: Apache-2.0
// The distributions of a program's result over time, as snapshots found them.
import { makeElement, makeFocusable, makeNote, replaceChildren } from "../element.js";
import { HeatView } from "../heat.js";
import { Cell } from "../heatmodel.js";
import { cellText } from "../heattext.js";
import { HeatKeyList } from "./heatkeylist.js";
import { Output, Result } from "./output.js";

export class ResultHeat {
	private readonly keys = new HeatKeyList("this key alone", (key) => this.toggle(key));
	private readonly map = makeElement("div", "", "map");
	private readonly tip = makeNote("");
	private readonly selected = new Set<string>(); // by name: the order of keys changes
	private view: HeatView | null = null;
	private origin = "";

	constructor(host: HTMLElement) {
		replaceChildren(host, this.keys.element, this.map, this.tip);
	}

	draw(result: Result, output: Output): void {
		const value = result.rows[0]?.values.findIndex((cell) => Array.isArray(cell)) ?? 0,
			name = result.names[Math.max(0, value)]!,
			heat = output.history.get(name)?.heat(`@${name}`, "", output.wallOffset);
		if (!heat) {
			this.tip.textContent = "The first second is not over.";
			return;
		}
		this.origin = `from @${name}: what each snapshot of the run added`;
		this.view ??= this.makeView(name, new HeatView(this.map, heat.head, heat.planes));
		this.view.update(heat.head, heat.planes);
		this.select();
	}

	private makeView(name: string, view: HeatView): HeatView {
		view.cells.selecting = "isolate";
		makeFocusable(view.canvas, "img", `Heat map of @${name}; the table has the same as text`);
		view.onCell = (cell) => this.describe(view, cell);
		this.describe(view, null);
		return view;
	}

	private describe(view: HeatView, cell: Cell | null): void {
		this.tip.textContent =
			cell && view.cells.count(cell)
				? `${cellText(view.cells, cell)} · ${this.origin}`
				: "A column is a second, by the time at which values were read: up to a second late.";
	}

	private toggle(key: number): void {
		const name = this.view!.cells.planes[key]!.key;
		if (!this.selected.delete(name)) this.selected.add(name);
		this.select();
	}

	private select(): void {
		const { cells } = this.view!;
		cells.selected.clear();
		cells.planes.forEach((plane, key) => this.selected.has(plane.key) && cells.selected.add(key));
		this.view!.recount();
		this.keys.draw(
			cells.planes.map(({ key }) => ({ name: key, note: "", selected: this.selected.has(key), coloured: true })),
		);
	}
}
