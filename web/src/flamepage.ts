// SPDX-License-Identifier: Apache-2.0
// The page of one flame graph: `dwell flame -o FILE.html`. Everything it shows is in the file.
import { amount, percent } from "./amount.js";
import { fill, Group, grow, make, makeButton, makeGroup, makeHelp, on, placeTip } from "./dom.js";
import { FlameView, Place } from "./flame.js";
import { fileHead, filePart, startPage } from "./standalone.js";
import { changeColours, isDark, Kind, kindColours, kindIndex, onTheme, toggleTheme } from "./theme.js";
import { decode, reverse, sandwich, Tree, usages, Usage, Widths } from "./tree.js";

/** Beside the stacks; see src/view/picture/flame_html.c. */
interface Meta {
	title: string;
	unit: string;
	notes: string;
	diff: boolean;
	significance: boolean;
	inverted: boolean;
	before: string;
	after: string;
	kinds: Kind[];
	unknown: number;
	bytes: number;
}

type Mode = "flame" | "leaves" | "sandwich" | "table";
const TABLE_ROWS = 500;
const CRUMBS = 5; // callers of what is shown that are named

class Page {
	private readonly view: FlameView;
	private readonly pane = make("div", "", "flame-host");
	private readonly tableBox = make("div", "", "table");
	private readonly search = make("input");
	private readonly share = make("span", "", "share");
	private readonly crumbs = make("nav", "", "crumbs");
	private readonly detail = make("div", "", "detail");
	private readonly legend = make("div", "", "legend");
	private readonly tip = make("div", "", "tip");
	private readonly help: HTMLDialogElement;
	private readonly modes: Group;
	private readonly trees = new Map<string, { up: Tree, down?: Tree }>();
	private mode: Mode = "flame";
	private wide: Widths = "both";
	private focus = -1; // function of the sandwich
	private inverted: boolean;
	private ignoreCase = false;
	private found: Uint8Array | null = null;
	private order: { column: "self" | "total", weight: number } = { column: "self", weight: 0 };

	constructor(private readonly meta: Meta, private readonly tree: Tree, app: HTMLElement) {
		this.inverted = meta.inverted;
		this.order.weight = meta.diff ? 1 : 0;
		this.modes = makeGroup([["flame", "Stacks", "from the root (1)"], ["leaves", "Leaves", "from the leaves (2)"],
			["sandwich", "Around", "callers and callees of the selected function (3)"], ["table", "Table", "functions (4)"]] as [Mode, string, string][],
		(m) => m === this.mode, (m) => this.setMode(m));
		this.help = makeHelp("Keys", "", [["click", "show a frame at full width"], ["Escape", "show everything"],
			["/", "search; the share of all that is found is shown"], ["i", "upper and lower case alike, or not"],
			["← ↑ → ↓", "go from frame to frame"], ["Enter", "show the selected frame at full width"],
			["Backspace", "to its caller"], ["1 2 3 4", "stacks, leaves, around a function, table"], ["r", "root on top or below"],
			["d", "dark or light"]]);
		this.build(app);
		this.view = new FlameView(this.pane, { kinds: meta.kinds, unknown: meta.unknown, diff: meta.diff,
			significance: meta.significance });
		this.view.canvas.role = "img";
		this.view.onHover = (p, x, y) => this.hover(p, x, y);
		this.view.onZoom = () => { this.showCrumbs(); this.save(); };
		this.view.onSelect = () => this.showDetail();
		onTheme(() => this.showLegend());
		this.trees.set("flame", { up: tree });
		this.showLegend();
		this.restore();
		on(document, "keydown", (e) => this.key(e));
	}

	// -- what is on the page --

	private build(app: HTMLElement): void {
		const head = make("header", "", "head"), bar = make("div", "", "bar"), box = make("div", "", "view");
		const foot = make("div", "", "foot");
		head.append(make("h1", this.meta.title), make("span", this.summary(), "muted"));
		this.search.type = "search";
		this.search.placeholder = "Search ( / )";
		this.search.ariaLabel = "Search functions, a regular expression";
		on(this.search, "input", () => this.find(this.search.value));
		this.share.role = "status";
		bar.append(this.modes.element, this.search, this.share, grow());
		if (this.meta.diff)
			bar.append(makeGroup([["both", "both"], ["before", this.meta.before], ["after", this.meta.after]].map(([w, text]) =>
				[w, text, "widths are shares of: " + text] as [Widths, string, string]), (w) => w === this.wide, (w) => this.setWidths(w)).element);
		bar.append(makeButton("Reset", "show everything (Escape)", () => this.reset()),
			makeButton("◐", "dark or light (d)", toggleTheme), makeButton("?", "help (?)", () => this.help.showModal()));
		this.crumbs.ariaLabel = "Stack of what is shown";
		box.append(this.pane, this.tableBox);
		foot.append(this.detail, this.legend);
		this.tip.hidden = true;
		fill(app, head, bar, this.crumbs, box, foot, this.tip, this.help);
	}

	private summary(): string {
		const [a, b] = [this.tree.whole[0] ?? 0, this.tree.whole[1] ?? 0], { unit, notes, before, after } = this.meta;
		const all = this.meta.diff ? `${amount(a, unit)} (${before}), ${amount(b, unit)} (${after}); widths are shares` : amount(a, unit);
		return notes ? all + " · " + notes : all;
	}

	private showLegend(): void {
		const dark = isDark();
		fill(this.legend);
		const add = (colour: string, text: string) => {
			const span = make("span"), i = make("i");
			i.style.background = colour;
			span.append(i, text);
			this.legend.append(span);
		};
		if (this.meta.diff) {
			const c = changeColours(dark);
			([[0, "vanished"], [5, "less"], [10, "the same"], [15, "more"], [20, "new"]] as [number, string][])
				.forEach(([k, text]) => add(c[k]!, text));
			return;
		}
		const c = kindColours(this.meta.kinds, dark), there = new Set(this.tree.frames.kind);
		this.meta.kinds.forEach((k, i) => { if (there.has(i)) add(c[kindIndex(i, 1)]!, k.text); });
	}

	// -- what is shown --

	private picture(): { up: Tree, down?: Tree } {
		const key = this.mode === "sandwich" ? "around " + this.focus : this.mode;
		let p = this.trees.get(key);
		if (!p) {
			if (this.mode === "leaves") {
				p = { up: reverse(this.tree) };
			} else {
				const s = sandwich(this.tree, this.focus);
				p = { up: s.callees, down: s.callers };
			}
			this.trees.set(key, p);
		}
		return p;
	}

	setMode(mode: Mode): void {
		const s = this.view.selectedAt;
		if (mode === "sandwich") {
			if (s)
				this.focus = s.tree.frame[s.node]!;
			if (this.focus < 0) {
				this.detail.textContent = "Select a function first: its callers and callees are shown then.";
				return;
			}
		}
		this.mode = mode;
		this.modes.update();
		this.pane.hidden = mode === "table";
		this.tableBox.hidden = mode !== "table";
		if (mode === "table") {
			this.showTable();
		} else {
			this.view.show(this.picture(), this.inverted);
			this.view.canvas.ariaLabel = this.meta.title + ". The table has the same as text.";
		}
		this.showCrumbs();
		this.showDetail();
		this.save();
	}

	private setWidths(w: Widths): void {
		this.wide = w;
		for (const p of this.trees.values()) {
			p.up.place(w);
			p.down?.place(w);
		}
		this.view.zoom(this.view.zoomedAt);
	}

	private reset(): void {
		this.search.value = "";
		this.find("");
		this.view.select(null);
		this.view.zoom(null);
		if (this.mode === "sandwich")
			this.setMode("flame");
	}

	private showCrumbs(): void {
		const z = this.mode === "table" ? null : this.view.zoomedAt;
		fill(this.crumbs);
		if (!z)
			return;
		this.crumbs.append(makeButton("all", "show everything", () => this.view.zoom(null)));
		const path = z.tree.path(z.node);
		if (path.length > CRUMBS)
			this.crumbs.append(make("span", "› …"));
		for (const node of path.slice(-CRUMBS)) {
			const name = this.view.name(z.tree, z.tree.frame[node]!);
			this.crumbs.append(make("span", "›"), makeButton(name, name, () => this.view.zoom({ tree: z.tree, node })));
		}
	}

	/** Lines about a frame: what it is, what it has. */
	private describe(p: Place): string[] {
		const { tree: t, node: i } = p, f = t.frame[i]!, fr = t.frames;
		const lines = [this.meta.kinds[fr.kind[f]!]!.text + (fr.module[f] ? ", " + fr.module[f] : "")];
		if (fr.source?.[f])
			lines.push(fr.source[f]!);
		const one = (k: number) => `${amount(t.total[k]![i]!, this.meta.unit)}, ${percent(t.share(i, k))}`;
		if (this.meta.diff) {
			const delta = t.share(i, 1) - t.share(i, 0);
			lines.push(`${this.meta.before}: ${one(0)}`, `${this.meta.after}: ${one(1)} (${delta < 0 ? "−" : "+"}${
				percent(Math.abs(delta))})`);
			return lines;
		}
		lines.push(one(0));
		if (t.self[0]![i]! > 0 && t.self[0]![i]! < t.total[0]![i]!)
			lines.push("itself " + amount(t.self[0]![i]!, this.meta.unit));
		const z = this.view.zoomedAt;
		if (z && z.tree === t && z.tree.w[z.node]! > t.w[i]!)
			lines.push(percent(t.w[i]! / z.tree.w[z.node]!) + " of what is shown");
		return lines;
	}

	private hover(p: Place | null, x: number, y: number): void {
		this.tip.hidden = !p;
		if (!p)
			return;
		fill(this.tip, make("b", p.tree.frames.name[p.tree.frame[p.node]!]!), ...this.describe(p).map((l) => make("div", l)));
		placeTip(this.tip, x, y);
	}

	private showDetail(): void {
		const s = this.view.selectedAt;
		this.detail.textContent = s && this.mode !== "table" ?
			this.view.name(s.tree, s.tree.frame[s.node]!) + " · " + this.describe(s).join(" · ") : "";
	}

	// -- search --

	private find(text: string): void {
		const t = this.tree, n = t.frames.n;
		this.search.value = text;
		this.found = null;
		this.share.textContent = "";
		if (text) {
			let re: RegExp;
			try {
				re = new RegExp(text, this.ignoreCase ? "i" : "");
			} catch {
				re = new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), this.ignoreCase ? "i" : "");
			}
			this.found = new Uint8Array(n);
			for (let f = 0; f < n; f++)
				this.found[f] = re.test(t.frames.name[f]!) || re.test(t.frames.module[f]!) ? 1 : 0;
			let sum = 0;
			for (let i = 0; i < t.n;)
				if (this.found[t.frame[i]!]) {
					sum += t.w[i]!;
					i = t.end[i]!;
				} else {
					i++;
				}
			const functions = this.found.reduce((a, b) => a + b, 0);
			this.share.textContent = functions ? `${percent(sum)} in ${functions} function${functions === 1 ? "" : "s"}` : "nothing found";
		}
		this.view.mark(this.found);
		if (this.mode === "table")
			this.showTable();
		this.save();
	}

	// -- the table --

	private rows(): Usage[] {
		const { column, weight } = this.order;
		return usages(this.tree).filter((u) => !this.found || this.found[u.frame])
			.sort((a, b) => b[column][weight]! - a[column][weight]! || a.frame - b.frame);
	}

	private showTable(): void {
		const table = make("table"), head = make("tr"), body = make("tbody"), thead = make("thead"), t = this.tree;
		const sides = this.meta.diff ? [this.meta.before, this.meta.after] : [""];
		const all = this.rows();
		table.append(make("caption", "Functions by what they used themselves, and with what they called", "sr"));
		head.append(make("th", "Function"), make("th", "Where"));
		for (const column of ["self", "total"] as const)
			sides.forEach((side, weight) => {
				const th = make("th", "", "n"), name = (column === "self" ? "itself" : "with callees") + (side ? ", " + side : "");
				const here = this.order.column === column && this.order.weight === weight;
				th.ariaSort = here ? "descending" : "none";
				th.append(makeButton(name + (here ? " ↓" : ""), "sort by " + name, () => {
					this.order = { column, weight };
					this.showTable();
				}));
				head.append(th, make("th", "", "n"));
			});
		for (const u of all.slice(0, TABLE_ROWS)) {
			const tr = make("tr"), name = make("td"), b = makeButton(t.frames.name[u.frame]!, "callers and callees", () => {
				this.focus = u.frame;
				this.view.select(null);
				this.setMode("sandwich");
			});
			b.className = "link";
			name.append(b);
			tr.append(name, make("td", t.frames.module[u.frame] || this.meta.kinds[t.frames.kind[u.frame]!]!.text, "muted"));
			for (const column of ["self", "total"] as const)
				sides.forEach((_, k) => {
					const v = u[column][k]!;
					tr.append(make("td", v ? amount(v, this.meta.unit) : "", "n"), make("td", v ? percent(v / t.whole[k]!) : "", "n muted"));
				});
			body.append(tr);
		}
		thead.append(head);
		table.append(thead, body);
		fill(this.tableBox, table);
		if (all.length > TABLE_ROWS)
			this.tableBox.append(make("p", `The first ${TABLE_ROWS} of ${all.length} functions; search to see others.`, "muted"));
	}

	// -- keys, and what is kept in the address --

	private key(e: KeyboardEvent): void {
		const typing = e.target === this.search;
		if (this.help.open || e.altKey || e.metaKey)
			return;
		if (e.key === "Escape") {
			this.search.blur();
			this.reset();
		} else if (e.key === "F3" || (e.ctrlKey && e.key === "f") || (!typing && e.key === "/")) {
			this.search.focus();
			this.search.select();
		} else if (typing || e.ctrlKey || (e.target instanceof HTMLButtonElement && e.key === "Enter")) {
			return;
		} else if (!this.plainKey(e.key)) {
			return;
		}
		e.preventDefault();
	}

	private plainKey(key: string): boolean {
		const up = this.inverted ? "in" : "out", down = this.inverted ? "out" : "in", s = this.view.selectedAt, z = this.view.zoomedAt;
		const modes: Mode[] = ["flame", "leaves", "sandwich", "table"];
		switch (key) {
		case "ArrowUp": this.view.move(up); return true;
		case "ArrowDown": this.view.move(down); return true;
		case "ArrowLeft": this.view.move("left"); return true;
		case "ArrowRight": this.view.move("right"); return true;
		case "Enter":
			if (s)
				this.view.zoom(s);
			return true;
		case "Backspace": {
			const parent = z ? z.tree.parent[z.node]! : -1;
			this.view.zoom(z && parent >= 0 ? { tree: z.tree, node: parent } : null);
			return true;
		}
		case "1": case "2": case "3": case "4": this.setMode(modes[Number(key) - 1]!); return true;
		case "i": this.ignoreCase = !this.ignoreCase; this.find(this.search.value); return true;
		case "r": this.inverted = !this.inverted; this.setMode(this.mode); return true;
		case "d": toggleTheme(); return true;
		case "?": this.help.showModal(); return true;
		default: return false;
		}
	}

	private save(): void {
		const p = new URLSearchParams(), z = this.view.zoomedAt;
		if (this.mode !== "flame")
			p.set("v", this.mode);
		if (this.mode === "sandwich")
			p.set("f", String(this.focus));
		if (z && this.mode !== "table" && z.tree === this.picture().up)
			p.set("x", String(z.node));
		if (this.search.value)
			p.set("s", this.search.value);
		if (this.ignoreCase)
			p.set("i", "1");
		const hash = p.toString();
		if (location.hash.slice(1) !== hash)
			history.replaceState(null, "", hash ? "#" + hash : location.pathname + location.search);
	}

	private restore(): void {
		const p = new URLSearchParams(location.hash.slice(1)), mode = p.get("v"), x = Number(p.get("x") ?? -1), f = Number(p.get("f") ?? -1);
		if (f >= 0 && f < this.tree.frames.n)
			this.focus = f;
		this.ignoreCase = p.get("i") === "1";
		const text = p.get("s") ?? "";
		this.setMode(mode === "leaves" || mode === "table" || (mode === "sandwich" && this.focus >= 0) ? mode : "flame");
		if (this.mode !== "table" && Number.isInteger(x) && x >= 0 && x < this.picture().up.n)
			this.view.zoom({ tree: this.picture().up, node: x });
		if (text)
			this.find(text);
	}

	/** For tests: what is shown now. */
	state(): object {
		const z = this.view.zoomedAt, s = this.view.selectedAt, name = (p: Place | null) => p ? p.tree.frames.name[p.tree.frame[p.node]!] : null;
		return { mode: this.mode, zoomed: name(z), selected: name(s), found: this.share.textContent, nodes: this.tree.n,
			drawn: this.view.drawn };
	}
}

void startPage(async (app) => {
	const meta = fileHead<Meta>();
	return new Page(meta, decode(await filePart("stacks"), meta.diff ? 2 : 1), app);
});
