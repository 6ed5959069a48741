// SPDX-License-Identifier: Apache-2.0
// Draws the page of one flame graph, `dwell flame -o FILE.html`, and hands on what is done there. Everything that it
// shows is in the file; what is shown of it is in FlamePageState.
import { Group, listen, makeButton, makeElement, makeGroup, makeHelp, makeSpacer, replaceChildren } from "./element.js";
import { makeSearch, makeThemeButton, Tip } from "./controls.js";
import { FlameView } from "./flame.js";
import { makeFlameLegend } from "./flamelegend.js";
import { FlameMeta, frameLines, summaryText } from "./flamemeta.js";
import { Place } from "./flamemodel.js";
import { FlameAction, FlamePageState, readFlameLink, writeFlameLink } from "./flamepagestate.js";
import { Mode } from "./flamepictures.js";
import { foundText } from "./flamesearch.js";
import { FunctionTable } from "./functiontable.js";
import { fileHead, filePart, startPage } from "./standalone.js";
import { onTheme, toggleTheme } from "./theme.js";
import { decode, Tree, Widths } from "./tree.js";

const MODE_BUTTONS: readonly (readonly [Mode, string, string])[] = [
	["flame", "Stacks", "from the root (1)"],
	["leaves", "Leaves", "from the leaves (2)"],
	["sandwich", "Around", "callers and callees of the selected function (3)"],
	["table", "Table", "functions (4)"],
];
const KEYS = [
	["click", "show a frame at full width"],
	["Escape", "show everything"],
	["/", "search; the share of all that is found is shown"],
	["i", "upper and lower case alike, or not"],
	["← ↑ → ↓", "go from frame to frame"],
	["Enter", "show the selected frame at full width"],
	["Backspace", "to its caller"],
	["1 2 3 4", "stacks, leaves, around a function, table"],
	["r", "root on top or below"],
	["d", "dark or light"],
] as const;

function frameName({ tree, node }: Place): string {
	return tree.frames.name[tree.frame[node]!]!;
}

class Page {
	private readonly view: FlameView;
	private readonly pane = makeElement("div", "", "flame-host");
	private readonly table: FunctionTable;
	private readonly search = makeSearch("Search ( / )", "Search functions, a regular expression", (text) =>
		this.find(text),
	);
	private readonly share = makeElement("span", "", "share");
	private readonly crumbs = makeElement("nav", "", "crumbs");
	private readonly detail = makeElement("div", "", "detail");
	private readonly legend = makeElement("div", "", "legend");
	private readonly tip = new Tip();
	private readonly help = makeHelp("Keys", "", KEYS);
	private readonly modes: Group;
	private readonly shown: FlamePageState;

	constructor(
		private readonly meta: FlameMeta,
		private readonly tree: Tree,
		app: HTMLElement,
	) {
		this.shown = new FlamePageState(tree, meta.inverted);
		this.table = new FunctionTable(meta, tree);
		this.table.onFunction = (frame) => {
			this.shown.focus = frame;
			this.view.select(null);
			this.setMode("sandwich");
		};
		this.modes = makeGroup(
			MODE_BUTTONS,
			(mode) => mode === this.shown.mode,
			(mode) => this.setMode(mode),
		);
		this.build(app);
		const { kinds, unknown, diff, significance } = meta;
		this.view = new FlameView(this.pane, { kinds, unknown, diff, significance });
		this.view.canvas.role = "img";
		this.view.onHover = (place, x, y) => this.hover(place, x, y);
		this.view.onZoom = () => {
			this.showCrumbs();
			this.save();
		};
		this.view.onSelect = () => this.showDetail();
		onTheme(() => this.showLegend());
		this.showLegend();
		this.restore();
		listen(document, "keydown", (event) => this.key(event));
	}

	// -- what is on the page --

	private build(app: HTMLElement): void {
		const head = makeElement("header", "", "head"),
			box = makeElement("div", "", "view"),
			foot = makeElement("div", "", "foot");
		head.append(
			makeElement("h1", this.meta.title),
			makeElement("span", summaryText(this.meta, this.tree), "muted"),
		);
		this.crumbs.ariaLabel = "Stack of what is shown";
		box.append(this.pane, this.table.element);
		foot.append(this.detail, this.legend);
		replaceChildren(app, head, this.makeBar(), this.crumbs, box, foot, this.tip.element, this.help);
	}

	private makeBar(): HTMLElement {
		const bar = makeElement("div", "", "bar");
		this.share.role = this.detail.role = "status"; // so that the keys are heard, too
		bar.append(this.modes.element, this.search, this.share, makeSpacer());
		if (this.meta.diff) bar.append(this.makeWidths());
		bar.append(
			makeButton("Reset", "show everything (Escape)", () => this.reset()),
			makeThemeButton(),
			makeButton("?", "help (?)", () => this.help.showModal()),
		);
		return bar;
	}

	private makeWidths(): HTMLElement {
		const sides: [Widths, string][] = [
			["both", "both"],
			["before", this.meta.before],
			["after", this.meta.after],
		];
		return makeGroup(
			sides.map(([widths, text]) => [widths, text, `widths are shares of: ${text}`] as const),
			(widths) => widths === this.shown.pictures.shownWidths,
			(widths) => {
				this.shown.pictures.setWidths(widths);
				this.view.zoom(this.view.zoomedAt);
			},
		).element;
	}

	private showLegend(): void {
		replaceChildren(this.legend, ...makeFlameLegend(this.meta, this.tree));
	}

	// -- what is shown --

	private setMode(mode: Mode): void {
		const { shown, view } = this;
		if (!shown.enter(mode, view.selectedAt)) {
			this.detail.textContent = "Select a function first, to see its callers and callees.";
			return;
		}
		this.modes.update();
		this.pane.hidden = shown.isTable;
		this.table.element.hidden = !shown.isTable;
		if (shown.isTable) this.table.show(shown.found?.frames ?? null);
		else view.show(shown.picture(), shown.isInverted);
		view.canvas.ariaLabel = `${this.meta.title}. The table has the same as text.`;
		this.showCrumbs();
		this.showDetail();
		this.save();
	}

	private reset(): void {
		this.search.value = "";
		this.find("");
		this.view.select(null);
		this.view.zoom(null);
		if (this.shown.mode === "sandwich") this.setMode("flame");
	}

	/** The callers of what is shown at full width. */
	private showCrumbs(): void {
		const { places, cut } = this.shown.callers(this.view.zoomedAt);
		replaceChildren(this.crumbs);
		if (!places.length) return;
		this.crumbs.append(makeButton("all", "show everything", () => this.view.zoom(null)));
		if (cut) this.crumbs.append(makeElement("span", "› …"));
		for (const place of places) {
			const name = this.view.name(place);
			this.crumbs.append(
				makeElement("span", "›"),
				makeButton(name, name, () => this.view.zoom(place)),
			);
		}
	}

	private describe({ tree, node }: Place): string[] {
		const zoomed = this.view.zoomedAt;
		return frameLines(this.meta, tree, node, zoomed?.tree === tree ? zoomed.node : -1);
	}

	private hover(place: Place | null, x: number, y: number): void {
		if (!place) {
			this.tip.hide();
			return;
		}
		const lines = this.describe(place).map((line) => makeElement("div", line));
		this.tip.show(x, y, makeElement("b", frameName(place)), ...lines);
	}

	private showDetail(): void {
		const selected = this.shown.isTable ? null : this.view.selectedAt;
		this.detail.textContent = selected ? [this.view.name(selected), ...this.describe(selected)].join(" · ") : "";
	}

	private find(text: string): void {
		const { shown } = this;
		shown.search(text);
		this.search.value = text;
		this.share.textContent = foundText(shown.found);
		const frames = shown.found?.frames ?? null;
		this.view.mark(frames);
		if (shown.isTable) this.table.show(frames);
		this.save();
	}

	// -- keys, and what is kept in the address --

	private key(event: KeyboardEvent): void {
		const typing = event.target === this.search,
			onButton = event.target instanceof HTMLButtonElement && event.key === "Enter";
		if (this.help.open || event.altKey || event.metaKey) return;
		if (event.key === "Escape") {
			this.search.blur();
			this.reset();
		} else if (event.key === "F3" || (event.ctrlKey && event.key === "f") || (!typing && event.key === "/")) {
			this.search.focus();
			this.search.select();
		} else {
			const action = typing || event.ctrlKey || onButton ? null : this.shown.action(event.key);
			if (!action) return;
			this.act(action);
		}
		event.preventDefault();
	}

	private act(action: NonNullable<FlameAction>): void {
		const { shown, view } = this;
		if (typeof action === "object") {
			if ("mode" in action) this.setMode(action.mode);
			else view.move(action.move);
			return;
		}
		const actions = {
			zoom: () => view.selectedAt && view.zoom(view.selectedAt),
			caller: () => view.zoom(shown.callerOf(view.zoomedAt)),
			case: () => {
				shown.ignoreCase = !shown.ignoreCase;
				this.find(shown.text);
			},
			turn: () => {
				shown.isInverted = !shown.isInverted;
				this.setMode(shown.mode);
			},
			theme: toggleTheme,
			help: () => this.help.showModal(),
		};
		actions[action]();
	}

	private save(): void {
		const hash = writeFlameLink(this.shown.link(this.view.zoomedAt));
		if (location.hash.slice(1) !== hash)
			history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
	}

	private restore(): void {
		const link = readFlameLink(location.hash.slice(1));
		this.setMode(this.shown.take(link));
		const place = this.shown.placeOf(link);
		if (place) this.view.zoom(place);
		if (link.text) this.find(link.text);
	}

	/** For tests: what is shown now. */
	state(): object {
		const name = (place: Place | null) => (place ? frameName(place) : null);
		return {
			mode: this.shown.mode,
			zoomed: name(this.view.zoomedAt),
			selected: name(this.view.selectedAt),
			found: this.share.textContent,
			nodes: this.tree.n,
			drawn: this.view.drawn,
		};
	}
}

void startPage(async (app) => {
	const meta = fileHead<FlameMeta>();
	return new Page(meta, decode(await filePart("stacks"), meta.diff ? 2 : 1), app);
});
