// SPDX-License-Identifier: Apache-2.0
// The page of one flame graph: `dwell flame -o FILE.html`. Everything that it shows is in the file.
import {
	Group,
	listen,
	makeButton,
	makeElement,
	makeGroup,
	makeHelp,
	makeSpacer,
	placeTip,
	replaceChildren,
} from "./element.js";
import { FlameView, Place } from "./flame.js";
import { makeFlameLegend } from "./flamelegend.js";
import { FlameMeta, frameLines, summaryText } from "./flamemeta.js";
import { FlamePicture, FlamePictures, Mode, MODES } from "./flamepictures.js";
import { Found, foundText, search } from "./flamesearch.js";
import { FunctionTable } from "./functiontable.js";
import { fileHead, filePart, startPage } from "./standalone.js";
import { onTheme, toggleTheme } from "./theme.js";
import { decode, Tree, Widths } from "./tree.js";

const CALLERS_SHOWN = 5; // above the graph
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
	private readonly search = makeElement("input");
	private readonly share = makeElement("span", "", "share");
	private readonly crumbs = makeElement("nav", "", "crumbs");
	private readonly detail = makeElement("div", "", "detail");
	private readonly legend = makeElement("div", "", "legend");
	private readonly tip = makeElement("div", "", "tip");
	private readonly help = makeHelp("Keys", "", KEYS);
	private readonly modes: Group;
	private readonly pictures: FlamePictures;
	private mode: Mode = "flame";
	private focus = -1; // function of the sandwich
	private inverted: boolean;
	private ignoreCase = false;
	private found: Found | null = null;

	constructor(
		private readonly meta: FlameMeta,
		private readonly tree: Tree,
		app: HTMLElement,
	) {
		this.inverted = meta.inverted;
		this.pictures = new FlamePictures(tree);
		this.table = new FunctionTable(meta, tree);
		this.table.onFunction = (frame) => {
			this.focus = frame;
			this.view.select(null);
			this.setMode("sandwich");
		};
		this.modes = makeGroup(
			MODE_BUTTONS,
			(mode) => mode === this.mode,
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
		this.tip.hidden = true;
		replaceChildren(app, head, this.makeBar(), this.crumbs, box, foot, this.tip, this.help);
	}

	private makeBar(): HTMLElement {
		const bar = makeElement("div", "", "bar");
		this.search.type = "search";
		this.search.placeholder = "Search ( / )";
		this.search.ariaLabel = "Search functions, a regular expression";
		listen(this.search, "input", () => this.find(this.search.value));
		this.share.role = "status";
		bar.append(this.modes.element, this.search, this.share, makeSpacer());
		if (this.meta.diff) bar.append(this.makeWidths());
		bar.append(
			makeButton("Reset", "show everything (Escape)", () => this.reset()),
			makeButton("◐", "dark or light (d)", toggleTheme),
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
			(widths) => widths === this.pictures.shownWidths,
			(widths) => {
				this.pictures.setWidths(widths);
				this.view.zoom(this.view.zoomedAt);
			},
		).element;
	}

	private showLegend(): void {
		replaceChildren(this.legend, ...makeFlameLegend(this.meta, this.tree));
	}

	// -- what is shown --

	private picture(): FlamePicture {
		return this.pictures.of(this.mode, this.focus);
	}

	private setMode(mode: Mode): void {
		const selected = this.view.selectedAt;
		if (mode === "sandwich") {
			if (selected) this.focus = selected.tree.frame[selected.node]!;
			if (this.focus < 0) {
				this.detail.textContent = "Select a function first, to see its callers and callees.";
				return;
			}
		}
		this.mode = mode;
		this.modes.update();
		this.pane.hidden = mode === "table";
		this.table.element.hidden = mode !== "table";
		if (mode === "table") this.table.show(this.found?.frames ?? null);
		else this.view.show(this.picture(), this.inverted);
		this.view.canvas.ariaLabel = `${this.meta.title}. The table has the same as text.`;
		this.showCrumbs();
		this.showDetail();
		this.save();
	}

	private reset(): void {
		this.search.value = "";
		this.find("");
		this.view.select(null);
		this.view.zoom(null);
		if (this.mode === "sandwich") this.setMode("flame");
	}

	/** The callers of what is shown at full width. */
	private showCrumbs(): void {
		const zoomed = this.mode === "table" ? null : this.view.zoomedAt;
		replaceChildren(this.crumbs);
		if (!zoomed) return;
		const { tree } = zoomed,
			path = tree.path(zoomed.node);
		this.crumbs.append(makeButton("all", "show everything", () => this.view.zoom(null)));
		if (path.length > CALLERS_SHOWN) this.crumbs.append(makeElement("span", "› …"));
		for (const node of path.slice(-CALLERS_SHOWN)) {
			const name = this.view.name(tree, tree.frame[node]!);
			this.crumbs.append(
				makeElement("span", "›"),
				makeButton(name, name, () => this.view.zoom({ tree, node })),
			);
		}
	}

	private describe({ tree, node }: Place): string[] {
		const zoomed = this.view.zoomedAt;
		return frameLines(this.meta, tree, node, zoomed?.tree === tree ? zoomed.node : -1);
	}

	private hover(place: Place | null, x: number, y: number): void {
		this.tip.hidden = !place;
		if (!place) return;
		const lines = this.describe(place).map((line) => makeElement("div", line));
		replaceChildren(this.tip, makeElement("b", frameName(place)), ...lines);
		placeTip(this.tip, x, y);
	}

	private showDetail(): void {
		const selected = this.mode === "table" ? null : this.view.selectedAt;
		this.detail.textContent = selected
			? [this.view.name(selected.tree, selected.tree.frame[selected.node]!), ...this.describe(selected)].join(
					" · ",
				)
			: "";
	}

	private find(text: string): void {
		this.search.value = text;
		this.found = search(this.tree, text, this.ignoreCase);
		this.share.textContent = foundText(this.found);
		const frames = this.found?.frames ?? null;
		this.view.mark(frames);
		if (this.mode === "table") this.table.show(frames);
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
		} else if (typing || event.ctrlKey || onButton || !this.plainKey(event.key)) {
			return;
		}
		event.preventDefault();
	}

	/** Whether the key means something. */
	private plainKey(key: string): boolean {
		const [up, down] = this.inverted ? (["in", "out"] as const) : (["out", "in"] as const);
		const actions: Record<string, () => void> = {
			ArrowUp: () => this.view.move(up),
			ArrowDown: () => this.view.move(down),
			ArrowLeft: () => this.view.move("left"),
			ArrowRight: () => this.view.move("right"),
			Enter: () => this.view.selectedAt && this.view.zoom(this.view.selectedAt),
			Backspace: () => this.zoomOut(),
			i: () => {
				this.ignoreCase = !this.ignoreCase;
				this.find(this.search.value);
			},
			r: () => {
				this.inverted = !this.inverted;
				this.setMode(this.mode);
			},
			d: toggleTheme,
			"?": () => this.help.showModal(),
		};
		const mode = MODES[Number(key) - 1],
			action = mode ? () => this.setMode(mode) : actions[key];
		action?.();
		return action !== undefined;
	}

	/** Shows the caller at full width. */
	private zoomOut(): void {
		const zoomed = this.view.zoomedAt,
			caller = zoomed ? zoomed.tree.parent[zoomed.node]! : -1;
		this.view.zoom(zoomed && caller >= 0 ? { tree: zoomed.tree, node: caller } : null);
	}

	private save(): void {
		const query = new URLSearchParams(),
			zoomed = this.mode === "table" ? null : this.view.zoomedAt;
		if (this.mode !== "flame") query.set("v", this.mode);
		if (this.mode === "sandwich") query.set("f", String(this.focus));
		if (zoomed && zoomed.tree === this.picture().up) query.set("x", String(zoomed.node));
		if (this.search.value) query.set("s", this.search.value);
		if (this.ignoreCase) query.set("i", "1");
		const hash = query.toString();
		if (location.hash.slice(1) !== hash)
			history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
	}

	private restore(): void {
		const query = new URLSearchParams(location.hash.slice(1)),
			mode = MODES.find((one) => one === query.get("v")) ?? "flame",
			node = Number(query.get("x") ?? -1),
			frame = Number(query.get("f") ?? -1),
			text = query.get("s") ?? "";
		if (frame >= 0 && frame < this.tree.frames.n) this.focus = frame;
		this.ignoreCase = query.get("i") === "1";
		this.setMode(mode === "sandwich" && this.focus < 0 ? "flame" : mode);
		if (this.mode !== "table" && Number.isInteger(node) && node >= 0 && node < this.picture().up.n)
			this.view.zoom({ tree: this.picture().up, node });
		if (text) this.find(text);
	}

	/** For tests: what is shown now. */
	state(): object {
		const name = (place: Place | null) => (place ? frameName(place) : null);
		return {
			mode: this.mode,
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
