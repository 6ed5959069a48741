// SPDX-License-Identifier: Apache-2.0
// The page of one heat map: `dwell heat -o FILE.html`. Everything that it shows is in the file.
import { percent } from "./amount.js";
import {
	addRow,
	Group,
	listen,
	makeButton,
	makeElement,
	makeSection,
	makeSpacer,
	makeTable,
	numberCell,
	replaceChildren,
} from "./element.js";
import { makeThemeButton, Tip } from "./controls.js";
import { HeatView } from "./heat.js";
import { makeLineLegend, makeScaleGroup, makeSelectingGroup, rampCss } from "./heatkeys.js";
import { Cell, decodeHeat, HeatHead, Plane } from "./heatmodel.js";
import { cellLines, columnTable, countText, keyLines, missingLines, percentileText, summaryText } from "./heattext.js";
import { keyCss } from "./keycolour.js";
import { clamp } from "./math.js";
import { fileHead, filePart, startPage } from "./standalone.js";
import { onTheme, toggleTheme } from "./theme.js";

const RAMP_STOPS = 9,
	TIP_KEYS = 5;
const ARROWS: Record<string, readonly [number, number]> = {
	ArrowUp: [0, 1],
	ArrowDown: [0, -1],
	ArrowLeft: [-1, 0],
	ArrowRight: [1, 0],
};

function makeLines(lines: readonly string[], className = ""): HTMLElement[] {
	return lines.map((line) => makeElement("div", line, className));
}

/** The keys of the map, with their shares; a click selects. */
class KeyList {
	readonly element = makeElement("ul", "", "keys");

	constructor(
		private readonly view: HeatView,
		private readonly total: number,
		private readonly onToggle: (key: number) => void,
	) {}

	draw(): void {
		replaceChildren(this.element, ...this.view.cells.planes.map((plane, key) => this.makeItem(plane, key)));
	}

	private makeItem(plane: Plane, key: number): HTMLElement {
		const { cells } = this.view,
			item = makeElement("li"),
			button = makeButton("", plane.key, () => this.onToggle(key)),
			dot = makeElement("i"),
			selected = cells.selected.has(key),
			excluded = selected && cells.selecting === "exclude";
		if (selected && !excluded) dot.style.background = keyCss(plane.key);
		button.append(dot, makeElement("span", (excluded ? "− " : "") + plane.key), percent(plane.total / this.total));
		button.ariaPressed = String(selected);
		item.append(button);
		return item;
	}
}

class Page {
	readonly view: HeatView;
	private readonly map = makeElement("div", "", "map");
	private readonly tableBox = makeElement("div", "", "table");
	private readonly tip = new Tip();
	private readonly details = makeElement("div");
	private readonly ramp = makeElement("span", "", "ramp");
	private readonly keys: KeyList;
	private readonly groups: Group[] = [];

	constructor(
		private readonly head: HeatHead,
		private readonly planes: Plane[],
		app: HTMLElement,
	) {
		this.view = new HeatView(this.map, head, planes);
		this.keys = new KeyList(this.view, head.total, (key) => {
			this.view.cells.toggle(key);
			this.repaint();
		});
		this.build(app);
		this.view.canvas.role = "img";
		this.view.canvas.ariaLabel = `${head.title}. The table has percentiles as text.`;
		this.view.onCell = (cell, x, y) => this.hover(cell, x, y);
		this.view.onPick = (cell) => this.showDetails(cell);
		onTheme(() => this.showRamp());
		for (const key of head.chosen ?? []) this.view.cells.selected.add(key);
		this.recount();
		listen(document, "keydown", (event) => this.key(event));
	}

	private build(app: HTMLElement): void {
		const top = makeElement("header", "", "head"),
			main = makeElement("div", "", "stage"),
			box = makeElement("div", "", "view"),
			side = makeElement("div", "", "beside");
		top.append(makeElement("h1", this.head.title), makeElement("span", summaryText(this.head), "muted"));
		this.tableBox.hidden = true;
		box.append(this.map, this.tableBox);
		if (this.planes.length > 1) side.append(makeSection("Keys", this.keys.element));
		side.append(makeSection("Cell", this.details));
		main.append(box, side);
		replaceChildren(app, top, this.makeBar(), main, this.tip.element);
	}

	private makeBar(): HTMLElement {
		const bar = makeElement("div", "", "bar");
		this.groups.push(makeScaleGroup(this.view.cells, () => this.repaint()));
		if (this.planes.length > 1) this.groups.push(makeSelectingGroup(this.view.cells, () => this.recount()));
		bar.append(...this.groups.map((group) => group.element));
		bar.append(makeElement("span", "few"), this.ramp, makeElement("span", "many"));
		if (this.head.p50.some((value) => value !== null)) bar.append(...makeLineLegend());
		bar.append(
			makeSpacer(),
			makeButton("Table", "percentiles as text (t)", () => this.toggleTable()),
			makeButton("Reset", "show everything (Escape)", () => this.reset()),
			makeThemeButton(),
		);
		return bar;
	}

	private recount(): void {
		this.view.cells.recount();
		this.repaint();
	}

	private repaint(): void {
		this.view.paint();
		for (const group of this.groups) group.update();
		this.showRamp();
		this.keys.draw();
		this.showDetails(this.view.picked);
	}

	private showRamp(): void {
		this.ramp.style.background = rampCss(this.view.cells, RAMP_STOPS);
	}

	private hover(cell: Cell | null, x: number, y: number): void {
		if (!cell) {
			this.tip.hide();
			return;
		}
		const { cells } = this.view;
		this.tip.show(
			x,
			y,
			makeElement("b", countText(this.head, cells.count(cell))),
			...makeLines(cellLines(this.head, cell)),
			...makeLines(keyLines(cells, cell).slice(0, TIP_KEYS), "muted"),
			...makeLines(missingLines(this.head, cell.column)),
		);
	}

	private showDetails(cell: Cell | null): void {
		if (!cell) {
			const help = "Click a cell. Drag over a stretch of time to see only that.";
			replaceChildren(this.details, makeElement("div", help, "muted"));
			return;
		}
		const { cells } = this.view,
			percentiles = percentileText(this.head, cell.column);
		replaceChildren(
			this.details,
			makeElement("b", countText(this.head, cells.count(cell))),
			...makeLines([...cellLines(this.head, cell), ...keyLines(cells, cell)]),
			...makeLines(percentiles ? [percentiles] : [], "muted"),
		);
	}

	private toggleTable(): void {
		this.tableBox.hidden = !this.tableBox.hidden;
		this.map.hidden = !this.tableBox.hidden;
		if (this.tableBox.hidden) return;
		const { heads, rows } = columnTable(this.view.cells),
			[time = "", ...others] = heads,
			{ table, body } = makeTable("", [[time], ...others.map((text) => [text, "n"] as const)]);
		for (const [first = "", ...cells] of rows) addRow(body, "", first, ...cells.map((text) => numberCell(text)));
		replaceChildren(this.tableBox, table);
	}

	private reset(): void {
		this.view.cells.selected.clear();
		this.view.pick(null);
		this.view.zoom(0, this.head.columns);
		if (!this.tableBox.hidden) this.toggleTable();
		this.recount();
	}

	private movePick([columns, rows]: readonly [number, number]): void {
		const { picked, frame } = this.view;
		this.view.pick({
			column: picked ? clamp(picked.column + columns, 0, this.head.columns - 1) : frame.from,
			row: picked ? clamp(picked.row + rows, 0, this.head.rows - 1) : 0,
		});
	}

	private key(event: KeyboardEvent): void {
		if (event.ctrlKey || event.altKey || event.metaKey) return;
		const arrow = ARROWS[event.key];
		if (arrow) this.movePick(arrow);
		else if (event.key === "Escape") this.reset();
		else if (event.key === "t") this.toggleTable();
		else if (event.key === "d") toggleTheme();
		else return;
		event.preventDefault();
	}

	/** For tests. */
	state(): object {
		const { view, head } = this,
			{ cells, frame } = view;
		return {
			range: [frame.from, frame.to],
			picked: view.picked,
			selected: [...cells.selected],
			scale: cells.scale,
			selecting: cells.selecting,
			painted: view.drawn,
			columns: head.columns,
			rows: head.rows,
			total: head.total,
			keys: head.keys,
		};
	}
}

void startPage(async (app) => {
	const head = fileHead<HeatHead>();
	return new Page(head, decodeHeat(await filePart("cells"), head), app);
});
