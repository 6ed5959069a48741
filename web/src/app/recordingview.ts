// SPDX-License-Identifier: Apache-2.0
// Recordings: which there are, and all views of one. A file that is dropped here is sent to the server, which shows it as any other.
import { compareRecordings } from "./apart.js";
import { api, Contents, RecordingInfo, SlowRow, viewUrl } from "./api.js";
import { FlameData, showFlame } from "./flames.js";
import { Pictures, tabLinks, TabName } from "./pictures.js";
import { putSelection, RangeView, Selection, slowTable, STACK_FILES, stackGroup, takeSelection } from "./rangeview.js";
import { histChoice, histWanted, origin, Source } from "./stretch.js";
import { NO_VALUES, saveLinks, savePicture } from "./tabframe.js";
import { amount, number, percent } from "../amount.js";
import { unpack } from "../bytes.js";
import { fill, grow, make, makeButton, makeDot, makeGroup, makeNote, makePre, named, on, said } from "../dom.js";
import { CellRange, gradient, HeatView } from "../heat.js";
import { decodeHeat, HeatHead, Plane, Scale, Selecting } from "../heatmodel.js";
import { keyCss } from "../keycolour.js";
import { isDark, onTheme } from "../theme.js";

const SLOW = 50, KEYS = 24, TEXT_MAX = 200000, HELD_MS = 500;

export class RecordingView {
	readonly element = make("section", "", "program");
	private readonly list = make("ul", "", "gallery");
	private readonly main = make("div", "", "main");
	private readonly head = make("div");
	private readonly heatBar = make("div", "", "bar");
	private readonly heatBox = make("div", "", "map");
	private readonly tip = make("p", "", "muted detail");
	private readonly keys = make("div", "", "key-list");
	private readonly flameBar = make("div", "", "bar");
	private readonly flame = make("div", "", "flame-host");
	private readonly slow = make("div");
	private readonly report = make("details");
	private readonly note = make("p", "", "muted note");
	private readonly body = make("div", "", "recording-body");
	readonly range = new RangeView();
	readonly pictures = new Pictures();
	private readonly tabs = make("div", "", "tab-bar");
	private recordings: RecordingInfo[] = [];
	private limit = 0;
	private source: Source | null = null;
	heat: HeatView | null = null;
	private heatHead: HeatHead | null = null;
	private planes: Plane[] = [];
	private by = "";
	private stacks = "";
	private asked = 0;
	onLink: (link: string) => void = () => {};
	/** It has something to show, wherever the user is. */
	onShow: () => void = () => {};
	onProgram: (text: string) => void = () => {};

	constructor() {
		const side = make("aside", "", "side"), label = make("label", "Open a recording…", "file"), input = make("input");
		input.type = "file";
		input.className = "sr";
		on(input, "change", () => input.files?.[0] && void this.upload(input.files[0]));
		label.append(input);
		side.append(label, this.list);
		this.main.append(this.note, this.body);
		this.body.append(this.head, this.tabs, this.pictures.element, this.heatBar, this.keys, this.heatBox, this.tip, this.range.element, this.flameBar, this.flame, this.slow, this.report);
		this.body.hidden = true;
		this.note.role = "status";
		this.element.append(side, this.main);
		this.range.onClose = () => this.unchoose();
		this.pictures.onLink = (link) => this.onLink(link);
		this.range.onChange = () => this.onLink(this.link);
		this.range.onProgram = (_, clause, program) => this.onProgram(program ?? (this.source?.info.programs.map((p) => p.text).join("\n") ?? "") + "\n" + clause);
		this.report.append(make("summary", "What the run printed"));
		on(this.report, "toggle", () => void this.readReport());
		onTheme(() => this.drawHeatBar());
		this.takeDrops();
	}

	/** A file may be dropped anywhere on the page; where it will go is shown while it is held over it. */
	private takeDrops(): void {
		const hasFiles = (e: DragEvent) => e.dataTransfer?.types.includes("Files") ?? false;
		let timer = 0; // while a file is held over the page, the browser says so again and again
		const over = (on: boolean) => {
			clearTimeout(timer);
			document.documentElement.classList.toggle("dropping", on);
			if (on)
				timer = window.setTimeout(() => over(false), HELD_MS);
		};
		on(document, "dragover", (e) => {
			if (!hasFiles(e))
				return;
			e.preventDefault();
			over(true);
		});
		on(document, "drop", (e) => {
			over(false);
			if (!hasFiles(e))
				return;
			e.preventDefault(); // the browser would leave the page for the file
			const f = e.dataTransfer!.files[0];
			this.onShow();
			if (f)
				void this.upload(f);
		});
	}

	// -- which there are --

	async start(id: string, q: URLSearchParams, tab: TabName): Promise<void> {
		await this.refresh();
		if (id)
			await this.open(id, q, tab);
		else
			this.say(this.recordings.some((r) => r.kind !== "live") ? "Choose a recording, or drop a file here." :
				"No recordings yet. Drop a file here that `dwell --record FILE …` has made, or start the server with `dwell serve --recordings FOLDER`.");
	}

	private async refresh(): Promise<void> {
		const o = await api.recordings().catch(() => null);
		this.recordings = o?.recordings ?? [];
		this.limit = o?.upload_max ?? 0;
		fill(this.list, ...this.recordings.map((r) => {
			const li = make("li"), b = makeButton(r.name, "show it", () => this.onLink("recording/" + r.id));
			b.append(make("span", r.kind === "live" ? "being recorded: the last ten minutes" : amount(r.bytes, "bytes") + (r.kind === "sent" ? ", sent" : ""), "muted"));
			on(b, "click", () => void this.open(r.id, new URLSearchParams()));
			b.ariaPressed = String(r.id === this.source?.id);
			li.append(b);
			return li;
		}));
	}

	async upload(f: File): Promise<void> {
		if (f.size > this.limit && this.limit) {
			this.say(`${f.name} has ${amount(f.size, "bytes")}, more than the ${amount(this.limit, "bytes")} that can be sent: name it on dwell's command line.`);
			return;
		}
		this.asked++;
		this.range.hide();
		this.body.hidden = true;
		this.source = null;
		this.say(`Sending ${f.name} (${amount(f.size, "bytes")}) …`);
		try {
			const id = await api.upload(f);
			this.onLink("recording/" + id);
			await this.refresh();
			await this.open(id, new URLSearchParams());
		} catch (e) {
			this.say(`${f.name}: ${said(e)}`);
		}
	}

	private say(text: string): void {
		this.note.textContent = text;
		this.note.hidden = !text;
	}

	// -- one of them --

	async open(id: string, q: URLSearchParams, tab: TabName = ""): Promise<void> {
		const n = ++this.asked;
		this.range.hide();
		if (id !== this.source?.id) {
			this.body.hidden = true;
			this.say("Reading…");
		}
		try {
			const info = await api.view<Contents>(id, "contents.json");
			if (n !== this.asked)
				return;
			this.source = { id, info };
		} catch (e) {
			this.source = null;
			this.body.hidden = true;
			this.say("This recording cannot be shown: " + said(e));
			return;
		}
		const s = this.source;
		this.say("");
		this.body.hidden = false;
		void this.refresh();
		this.drawHead();
		this.by = histWanted(s, q.get("by"));
		this.stacks = s.info.stacks.some((k) => k.name === q.get("flame")) ? q.get("flame")! : s.info.stacks[0]?.name ?? "";
		this.report.open = false;
		this.body.dataset["tab"] = tab;
		fill(this.tabs, tabLinks(id, tab, "#recording/" + id));
		await this.pictures.show(s, tab, q);
		if (tab)
			return;
		await Promise.all([this.readHeat(q), this.readFlame(), this.readSlow()]);
		const [range, other] = takeSelection(q, s);
		if (range && n === this.asked)
			this.range.show(s, range, other, q.get("stacks") ?? "");
	}

	private drawHead(): void {
		const { id, info } = this.source!, name = this.recordings.find((r) => r.id === id)?.name ?? id, save = make("p", "Save ", "save");
		const length = info.extent ? amount(info.extent[1] - info.extent[0], "ns") : "nothing";
		save.append(saveLinks(id, [...id[0] !== "u" ? [["recording", "the recording"]] as const : [], ["report.json", "JSON"], ["trace.json", "trace events"], ["values.csv", "CSV"]]));
		const programs = make("details");
		programs.append(make("summary", `${number(info.programs.length)} D program${info.programs.length === 1 ? "" : "s"}`), ...info.programs.map((p) => makePre(p.text, "code")));
		fill(this.head, make("h2", name), make("p", `${info.host} · Linux ${info.kernel} · ${
			new Date((info.begun + info.wall_off) / 1e6).toISOString().slice(0, 19).replace("T", " ")} UTC · ${length} · ${number(info.slow)} slow events`), programs, save);
		this.head.append(compareRecordings(this.source!, this.recordings));
		if (info.lost)
			this.head.append(make("p", `${number(info.lost)} events were lost while recording: what is shown is not all`, "lossy"));
	}

	// -- the heat map --

	private async readHeat(q: URLSearchParams): Promise<void> {
		const s = this.source!;
		this.heat = null;
		this.heatBox.hidden = this.heatBar.hidden = this.keys.hidden = !this.by;
		this.tip.textContent = this.by ? "" : NO_VALUES;
		if (!this.by)
			return;
		try {
			const head = await api.view<HeatHead & { cells: string }>(s.id, "heat.json", { by: this.by });
			this.planes = decodeHeat(await unpack(head.cells), head);
			this.heatHead = head;
			fill(this.heatBox);
			this.heat = new HeatView(this.heatBox, head, this.planes);
		} catch (e) {
			fill(this.heatBox, makeNote(said(e)));
			this.drawHeatBar();
			return;
		}
		const v = this.heat;
		named(v.canvas, "img", `Heat map of ${this.by}; the slow events below are text`);
		v.onCell = (c) => {
			const h = this.heatHead!;
			this.tip.textContent = c ? `${number(v.count(c))} · ${amount(h.edges[c.row]!, h.unit)} to ${amount(h.edges[c.row + 1]!, h.unit)} · ` +
				v.keysOf(c).slice(0, 4).map((k) => `${this.planes[k.key]!.key} ${number(k.count)}`).join(", ") +
				` · from ${origin(s, this.by, "hist")}` : this.tipText();
		};
		v.onRange = (r) => this.choose(r);
		this.tip.textContent = this.tipText();
		for (const k of (q.get("keys") ?? "").split(",").filter((k) => k)) {
			const i = this.planes.findIndex((p) => p.key === k);
			if (i >= 0)
				v.selected.add(i);
		}
		if (["highlight", "isolate", "exclude"].includes(q.get("mode") ?? ""))
			v.selecting = q.get("mode") as Selecting;
		if (["rank", "log", "linear"].includes(q.get("scale") ?? ""))
			v.scale = q.get("scale") as Scale;
		v.recount();
		this.drawHeatBar();
	}

	private tipText(): string {
		return "Click a cell or drag a range: whose it is, its slow events and its stacks." + (this.heatHead!.late ? " Columns are by when values were read: up to a second late." : "");
	}

	private choose(r: CellRange): void {
		const s = this.source!, h = this.heatHead!, at = (column: number) => Math.round((h.begin + column * h.step) * 1e6 - s.info.wall_off);
		this.range.choose(s, { tracker: this.by, from: at(r.from.column), to: at(r.to.column + 1), low: r.from.row === 0 ? 0 : h.edges[r.from.row]!,
			high: r.to.row === h.rows - 1 ? Infinity : h.edges[r.to.row + 1]! });
	}

	private unchoose(): void {
		this.range.hide();
		if (this.heat) {
			this.heat.chosen = null;
			this.heat.redraw();
		}
		this.onLink(this.link);
	}

	private group<T>(all: readonly (readonly [T, string])[], on: (v: T) => boolean, set: (v: T) => void): HTMLElement {
		return makeGroup(all.map(([v, title]) => [v, String(v), title] as const), on, (v) => {
			set(v);
			this.onLink(this.link);
		}).element;
	}

	private drawHeatBar(): void {
		const v = this.heat, s = this.source;
		if (!s)
			return;
		const ramp = make("span", "", "ramp"), g = gradient(isDark());
		ramp.style.background = `linear-gradient(90deg, ${[0, 64, 128, 192, 255].map((i) => `rgb(${g[3 * i]} ${g[3 * i + 1]} ${g[3 * i + 2]})`).join(",")})`;
		fill(this.heatBar, histChoice(s, "Heat map of", this.by, (name) => {
			this.by = name;
			this.range.hide();
			this.onLink(this.link);
			void this.readHeat(new URLSearchParams());
		}));
		if (!v)
			return;
		this.heatBar.append(this.group([["rank", "colours by rank: faint patterns show"], ["log", "by the logarithm of the count"], ["linear", "by the count"]] as const,
			(x) => v.scale === x, (x) => { v.scale = x; v.paint(); }));
		if (this.planes.length > 1)
			this.heatBar.append(this.group([["highlight", "selected keys in their colours over the rest"], ["isolate", "only selected keys"], ["exclude", "all but selected keys"]] as const,
				(x) => v.selecting === x, (x) => { v.selecting = x; v.recount(); this.drawKeys(v); }));
		const scale = make("span", "", "together"), lines = make("span", "", "together");
		scale.append("few", ramp, "many");
		lines.append(make("span", "", "line"), "median", make("span", "", "line dash"), "99 %", make("span", "", "line dots"), "average");
		this.heatBar.append(scale, lines, grow(), savePicture(s.id, "heat", { by: this.by }));
		this.drawKeys(v);
	}

	private drawKeys(v: HeatView): void {
		this.keys.hidden = this.planes.length < 2;
		fill(this.keys, ...this.planes.slice(0, KEYS).map((p, k) => {
			const b = makeButton("", "select this key", () => {
				if (!v.selected.delete(k))
					v.selected.add(k);
				v.recount();
				this.drawKeys(v);
				this.onLink(this.link);
			}), on = v.selected.has(k);
			b.append(makeDot(on && v.selecting !== "exclude" ? keyCss(p.key) : ""), `${p.key} `, make("span", percent(p.total / (this.heatHead!.total || 1)), "muted"));
			b.ariaPressed = String(on);
			return b;
		}));
	}

	// -- the rest --

	private async readFlame(): Promise<void> {
		const s = this.source!;
		this.flameBar.hidden = this.flame.hidden = !this.stacks;
		if (!this.stacks)
			return;
		const group = stackGroup(s.info.stacks.map((k) => k.name), () => this.stacks, (name) => {
			this.stacks = name;
			this.onLink(this.link);
			void this.readFlame();
		});
		fill(this.flameBar, make("h3", "Stacks"), group, grow(),
			savePicture(s.id, "flame", { by: "@" + this.stacks }, saveLinks(s.id, STACK_FILES, { by: "@" + this.stacks })));
		try {
			await showFlame(this.flame, await api.view<FlameData>(s.id, "flame.json", { by: "@" + this.stacks }), false, origin(s, "@" + this.stacks, "row"));
		} catch (e) {
			fill(this.flame, makeNote(said(e)));
		}
	}

	private async readSlow(): Promise<void> {
		const s = this.source!;
		this.slow.hidden = !s.info.slow;
		if (!s.info.slow)
			return;
		const rows = await api.viewLines<SlowRow>(s.id, "slow.json", { longest: SLOW }).catch(() => []);
		fill(this.slow, make("h3", `The ${number(rows.length)} longest of ${number(s.info.slow)} slow events`), slowTable(s, rows));
	}

	private async readReport(): Promise<void> {
		if (!this.report.open || !this.source)
			return;
		const pre = makePre("", "text"), r = await fetch(viewUrl(this.source.id, "report.txt")).catch(() => null), text = r ? await r.text() : "the server does not answer";
		pre.ariaLabel = "Text of the run";
		pre.textContent = text.length > TEXT_MAX ? text.slice(0, TEXT_MAX) + "\n… more: save it" : text || "It printed nothing.";
		fill(this.report, this.report.firstElementChild!, pre);
	}

	/** The part of the address that says what is shown. */
	get link(): string {
		const s = this.source, v = this.heat, { range, other, stacks } = this.range.shown, q = new URLSearchParams();
		if (!s)
			return "recording";
		if (this.pictures.tab)
			return this.pictures.link;
		q.set("by", this.by);
		if (v && v.selected.size)
			q.set("keys", [...v.selected].map((k) => this.planes[k]!.key).join(","));
		if (v && v.selecting !== "highlight")
			q.set("mode", v.selecting);
		if (v && v.scale !== "rank")
			q.set("scale", v.scale);
		if (this.stacks)
			q.set("flame", this.stacks);
		if (range)
			putSelection(q, s, range, other, stacks);
		return `recording/${s.id}?${q.toString()}`;
	}
}

export type { Selection };
