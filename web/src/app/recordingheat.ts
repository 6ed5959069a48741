// SPDX-License-Identifier: Apache-2.0
// The heat map of a recording: which values, how they are coloured, which keys are selected, what the pointer is at.
import { api } from "./api.js";
import { HeatKeyList } from "./heatkeylist.js";
import { histChoice, histWanted, origin, Source } from "./stretch.js";
import { NO_VALUES, savePicture } from "./tabframe.js";
import { percent } from "../amount.js";
import { unpack } from "../bytes.js";
import { errorMessage, makeElement, makeFocusable, makeNote, makeSpacer, replaceChildren } from "../element.js";
import { HeatView } from "../heat.js";
import { HeatCells } from "../heatcells.js";
import { isScale, isSelecting, makeLineLegend, makeScaleGroup, makeSelectingGroup, rampCss } from "../heatkeys.js";
import { Cell, CellRange, decodeHeat, HeatHead } from "../heatmodel.js";
import { cellText } from "../heattext.js";
import { onTheme } from "../theme.js";
import { Selection } from "./selection.js";

const RAMP_STOPS = 5;

export class RecordingHeat {
	readonly element = makeElement("div", "", "recording-part");
	/** The tracker or "@aggregation"; "": the recording has no values. */
	by = "";
	view: HeatView | null = null;
	onRange: (range: Selection) => void = () => {};
	/** Other values, colours or keys were chosen. */
	onChange: () => void = () => {};
	/** Other values: a range of the ones before means nothing any more. */
	onValues: () => void = () => {};
	private readonly bar = makeElement("div", "", "bar");
	private readonly ramp = makeElement("span", "", "ramp");
	private readonly map = makeElement("div", "", "map");
	private readonly tip = makeElement("p", "", "muted detail");
	private readonly keys = new HeatKeyList("select this key", (key) => {
		this.view?.cells.toggle(key);
		this.view?.paint();
		this.chosen();
	});
	private source: Source | null = null;

	constructor() {
		this.element.append(this.bar, this.keys.element, this.map, this.tip);
		onTheme(() => this.drawBar());
	}

	/** Shows what an address says. */
	async show(source: Source, query: URLSearchParams): Promise<void> {
		this.source = source;
		this.by = histWanted(source, query.get("by"));
		await this.read(query);
	}

	private async read(query: URLSearchParams): Promise<void> {
		const source = this.source!;
		this.view = null;
		this.map.hidden = this.bar.hidden = this.keys.element.hidden = !this.by;
		this.tip.textContent = this.by ? "" : NO_VALUES;
		if (!this.by) return;
		try {
			const head = await api.view<HeatHead & { cells: string }>(source.id, "heat.json", { by: this.by }),
				planes = decodeHeat(await unpack(head.cells), head);
			replaceChildren(this.map);
			this.view = new HeatView(this.map, head, planes);
		} catch (error) {
			replaceChildren(this.map, makeNote(errorMessage(error)));
			this.drawBar();
			return;
		}
		const { view } = this;
		makeFocusable(view.canvas, "img", `Heat map of ${this.by}; the slow events below are text`);
		view.onCell = (cell) => this.describe(view, cell);
		view.onRange = (range) => this.onRange(this.selectionOf(range));
		this.describe(view, null);
		this.restore(view, query);
		this.drawBar();
	}

	private restore(view: HeatView, query: URLSearchParams): void {
		const { cells } = view,
			mode = query.get("mode"),
			scale = query.get("scale"),
			keys = (query.get("keys") ?? "").split(",");
		if (isSelecting(mode)) cells.selecting = mode;
		if (isScale(scale)) cells.scale = scale;
		cells.planes.forEach(({ key }, index) => key && keys.includes(key) && cells.selected.add(index));
		view.recount();
	}

	private describe({ cells }: HeatView, cell: Cell | null): void {
		const late = cells.head.late ? " Columns are by the time at which values were read: up to a second late." : "";
		this.tip.textContent = cell
			? `${cellText(cells, cell)} · from ${origin(this.source!, this.by, "hist")}`
			: `Click a cell or drag over a range to see its keys, its slow events and its stacks.${late}`;
	}

	/** A range of cells as times and values. */
	private selectionOf({ from, to }: CellRange): Selection {
		const { head } = this.view!.cells,
			wallOffset = this.source!.info.wall_off,
			at = (column: number) => Math.round((head.begin + column * head.step) * 1e6 - wallOffset);
		return {
			tracker: this.by,
			from: at(from.column),
			to: at(to.column + 1),
			low: from.row === 0 ? 0 : head.edges[from.row]!,
			high: to.row === head.rows - 1 ? Infinity : head.edges[to.row + 1]!,
		};
	}

	/** No range is chosen any more. */
	unchoose(): void {
		if (!this.view) return;
		this.view.chosen = null;
		this.view.redraw();
	}

	private chosen(): void {
		const { cells } = this.view!;
		this.ramp.style.background = rampCss(cells, RAMP_STOPS);
		this.drawKeys(cells);
		this.onChange();
	}

	private drawBar(): void {
		const { source, view } = this;
		if (!source) return;
		const values = histChoice(source, "Heat map of", this.by, (name) => {
			this.by = name;
			this.onValues();
			void this.read(new URLSearchParams());
		});
		replaceChildren(this.bar, values);
		if (!view) return;
		const { cells } = view;
		this.bar.append(
			makeScaleGroup(cells, () => {
				view.paint();
				this.onChange();
			}).element,
		);
		if (cells.planes.length > 1)
			this.bar.append(
				makeSelectingGroup(cells, () => {
					view.recount();
					this.chosen();
				}).element,
			);
		this.ramp.style.background = rampCss(cells, RAMP_STOPS);
		this.bar.append(...this.makeLegend(), makeSpacer(), savePicture(source.id, "heat", { by: this.by }));
		this.drawKeys(cells);
	}

	private makeLegend(): HTMLElement[] {
		const scale = makeElement("span", "", "together"),
			lines = makeElement("span", "", "together");
		scale.append("few", this.ramp, "many");
		lines.append(...makeLineLegend());
		return [scale, lines];
	}

	private drawKeys(cells: HeatCells): void {
		const { head, planes, selected } = cells;
		this.keys.draw(
			planes.map(({ key, total }, index) => ({
				name: key,
				note: percent(total / (head.total || 1)),
				selected: selected.has(index),
				coloured: selected.has(index) && cells.inKeyColours,
			})),
		);
	}

	/** Adds to an address what is shown. */
	putQuery(query: URLSearchParams): void {
		query.set("by", this.by);
		if (!this.view) return;
		const { cells } = this.view;
		if (cells.selected.size) query.set("keys", [...cells.selected].map((key) => cells.planes[key]!.key).join(","));
		if (cells.selecting !== "highlight") query.set("mode", cells.selecting);
		if (cells.scale !== "rank") query.set("scale", cells.scale);
	}
}
