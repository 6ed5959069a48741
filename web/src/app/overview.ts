// SPDX-License-Identifier: Apache-2.0
// What is slow, who, and why: a heat map for each tracker, the slow events as they come, the stacks of the last minute.
import { sleep } from "../short.js";
import { api, ApiError, Contents, Line, Value, viewUrl, watch } from "./api.js";
import { Causes, Wait } from "./causes.js";
import { FlameData, showFlame } from "./flames.js";
import { COLUMNS, Range, rowOf, rowRange } from "./heatstrip.js";
import { complaints, stackOf } from "./output.js";
import { tabLinks } from "./pictures.js";
import { putSelection, RangeView, stackGroup, takeSelection } from "./rangeview.js";
import { causeOf, isIdle, isPeer, reason } from "./slow.js";
import { origin, Source, times } from "./stretch.js";
import { MINUTE, NUMBERS, SECOND, TrackerPane } from "./trackerpane.js";
import { amount, number } from "../amount.js";
import { addRow, fill, keepChildren, make, makeButton, makeLink, makeNote, makeSave, makeTable, numeric, on, said } from "../dom.js";

const TRACKERS: [string, string][] = [["wakeup", "waiting for a CPU"], ["offcpu", "sleeping"], ["block", "block device requests"],
	["lock", "kernel locks"], ["reclaim", "freeing memory"], ["irq", "interrupt handlers"], ["softirq", "softirqs"]];
const SLOW_KEPT = 500, SLOW_SHOWN = 60, FLAME_MS = 10000, CONTENTS_MS = 500;
const FORBIDDEN = 403, LOST = "Connection lost, trying again…";

export interface Slow extends Wait {
	tid: number;
	idle: boolean;
	why: string;
	attributes: Record<string, Value>;
	row?: HTMLTableRowElement;
}

export class Overview {
	readonly element = make("section", "", "overview");
	private readonly panes = new Map<string, TrackerPane>();
	private readonly slowBody: HTMLTableSectionElement;
	private readonly nothing = addRow(make("tbody"), "", make("td", "", "muted"));
	private readonly causes = new Causes();
	private readonly note = make("p", "Waiting for the first events…", "muted note");
	private readonly top = make("div", "", "top");
	private readonly live = make("div", "", "live");
	private readonly state = make("p", "", "state-line");
	private readonly headline = make("b");
	private readonly anew = makeButton("Measure again", "start the trackers anew, for all viewers", () => {
		this.renew = true;
		void api.stop(this.run);
	});
	private readonly queue = make("span");
	private readonly disks = make("span");
	private readonly cost = make("span");
	readonly range = new RangeView();
	private readonly save = makeSave("Save what is recorded so far", viewUrl("live", "recording"), "the recording of this view as a file: the last ten minutes at most; any dwell shows it", "button empty");
	private readonly flame = make("div", "", "flame-host");
	private readonly flameBar = make("div", "", "bar");
	private stacks = "on_cpu";
	private readonly losses = make("span", "", "lossy");
	private readonly idleToggle = make("input");
	source: Source | null = null;
	private wanted: URLSearchParams | null = null; // a range of the address, until there is a recording
	private run = 0;
	private readonly lost = new Map<string, { count: number, what: string }>(); // by tag
	private unwatch: () => void = () => {};
	private pending = 0;
	private selected: { pane: TrackerPane, range: Range } | null = null;
	private began = Infinity; // the first second of which anything came
	private errors: string[] = []; // of the compiler
	private late = 0; // the last second that was read so late that it has what was in those before it
	private renew = false; // it is to begin anew once it has ended
	private paused = false;
	connected = true;
	readonly slow: Slow[] = [];
	now = 0;
	private newest = 0; // ns: of all that came
	onProgram: (text: string) => void = () => {};

	constructor() {
		const { table, body } = makeTable("trackers", [["tracker"], [`delays, from ${COLUMNS / 60} minutes ago to now`], ...NUMBERS.map((t) => [t, "n"] as const)]);
		table.rows[0]!.cells[2]!.title = "how many there are at the same time, on average of the last ten seconds";
		for (const [name, what] of TRACKERS) {
			const p = new TrackerPane(name, what);
			this.panes.set(name, p);
			body.append(p.row);
			p.strip.onRange = (range) => this.select(p, range);
			p.strip.gap = (s) => this.gap(p, s);
		}
		this.range.onClose = () => this.select(null, null);
		this.range.onProgram = (r, clause) => void this.toProgram(r.tracker, clause);
		this.range.onChange = () => this.onLink(this.link);
		this.state.role = "status";
		this.nothing.cells[0]!.colSpan = 5;
		this.state.append(this.headline, this.anew, make("br"), this.queue, " · ", this.disks, this.cost);
		this.cost.title = "from all programs of this view, table cost of recording live, the last minute";
		this.losses.title = "from table loss of recording live, since this page was opened";
		this.top.append(tabLinks("live", "", "#overview"), this.save);
		const slow = makeTable("slow", [["ago", "n"], ["tracker"], ["who"], ["how long", "n"], ["why"]]);
		this.slowBody = slow.body;
		this.live.append(this.state, this.causes.element, table, this.range.element, this.slowSection(slow.table), this.flameSection());
		this.element.append(this.top, this.note, this.live);
	}

	private slowSection(table: HTMLElement): HTMLElement {
		const box = make("section", "", "picture");
		const label = make("label", "", "muted"), title = make("h2", "Slow events ");
		this.idleToggle.type = "checkbox";
		on(this.idleToggle, "change", () => this.drawSlow());
		label.append(this.idleToggle, " idle waits too");
		title.append(label, " ", this.losses);
		box.append(title, table);
		return box;
	}

	private flameSection(): HTMLElement {
		const box = make("section", "", "picture wide"), group = stackGroup(["on_cpu", "off_cpu_ns"], () => this.stacks, (name) => {
			this.stacks = name;
			void this.drawFlame(false);
		});
		this.flameBar.append(make("h2", "Stacks of the last minute"), group);
		this.flame.append(makeNote("The first come after a few seconds."));
		box.append(this.flameBar, this.flame);
		return box;
	}

	/** What the live view has recorded: there a moment after it has begun. */
	private async open(): Promise<void> {
		const run = this.run;
		for (let i = 0; run === this.run && run; i++) {
			const info = await api.view<Contents>("live", "contents.json").catch(() => null);
			if (info && info.histograms.length && info.stacks.length && this.now) {
				this.source = { id: "live", info };
				this.save.classList.remove("empty");
				break;
			}
			if (i === 20)
				fill(this.flame, makeNote("There is no recording of this view: ranges and stacks cannot be shown."));
			await sleep(CONTENTS_MS);
		}
		while (run === this.run && run) {
			if (!this.element.hidden && !document.hidden)
				await Promise.all([this.drawFlame(true), this.readCost(), this.restore()]);
			if (this.source)
				this.source.info = await api.view<Contents>("live", "contents.json").catch(() => this.source!.info);
			await sleep(FLAME_MS);
		}
	}

	private async drawFlame(again: boolean): Promise<void> {
		const s = this.source, to = (this.now + 1) * SECOND;
		if (!s)
			return;
		const d = await api.view<FlameData>("live", "flame.json", { by: "@" + this.stacks, from: times(s, to - MINUTE * SECOND, to).from }).catch((e: Error) => e);
		if (d instanceof Error)
			fill(this.flame, makeNote(d.message));
		else
			await showFlame(this.flame, d, again, origin(s, "@" + this.stacks, "row"));
	}

	private async readCost(): Promise<void> {
		const s = this.source!, rows = await api.viewLines<{ time: number, run_ns: number }>("live", "costs.json", {
			from: times(s, (this.now - MINUTE) * SECOND, 0).from }).catch(() => []);
		const first = Math.min(...rows.map((r) => r.time)), last = Math.max(...rows.map((r) => r.time));
		const all = rows.filter((r) => r.time > first).reduce((a, r) => a + r.run_ns, 0);
		if (last > first)
			this.cost.textContent = ` · dwell itself ${(100 * all / (last - first)).toFixed(1)} % of a CPU`;
	}

	async start(): Promise<void> {
		if (this.run)
			return;
		try {
			this.run = await api.overview();
		} catch (e) {
			this.refused(e);
			return;
		}
		this.renew = false;
		this.lost.clear();
		this.errors = [];
		this.panes.forEach((p) => p.reset());
		void this.open();
		this.unwatch = watch(this.run, {
			line: (l) => this.take(l),
			lost: (n) => this.lose("", n, "lines forgotten before this page read them"),
			end: (text) => this.ended(text),
			connected: (yes) => this.connect(yes),
		});
	}

	/** Once there is something to see, it stays where it is, and the first line says that it is old. */
	private connect(yes: boolean): void {
		this.connected = yes;
		this.say(yes || this.now ? "" : LOST, !yes);
		if (this.now)
			this.drawState();
	}

	/** There is no live view. */
	private refused(e: unknown): void {
		const may = !(e instanceof ApiError && e.status === FORBIDDEN);
		this.live.hidden = this.top.hidden = !may;
		this.say(may ? said(e) : "Nothing is traced: start the server with `sudo dwell serve` to see what is slow now. What was recorded can be looked at: ", may);
		if (!may)
			this.note.append(makeLink("Recordings", "#recording"), ".");
		else
			this.note.append(" ", makeButton("Try again", "start the trackers", () => void this.start()));
	}

	private say(text: string, bad: boolean): void {
		this.note.textContent = text;
		this.note.hidden = !text;
		this.note.classList.toggle("bad", bad);
	}

	private ended(text: string | null): void {
		this.unwatch();
		this.run = 0;
		this.source = null;
		this.save.classList.add("empty");
		this.range.hide();
		if (this.renew) {
			void this.start();
			return;
		}
		const bad = (this.errors.length ? this.errors : complaints(text).slice(-8)).join("\n");
		this.say("The trackers have ended. " + bad + (bad ? "\n`dwell features` tells what this kernel has, and what not." : ""), true);
		this.note.append(" ", makeButton("Start again", "start the trackers", () => void this.start()));
	}

	private take(l: Line): void {
		if (l.type === "histogram") {
			const second = Math.floor(l.time! / SECOND);
			this.panes.get(l["tracker"] as string)?.add(l);
			this.now = Math.max(this.now, second);
			this.began = Math.min(this.began, second);
			if (l["late"])
				this.late = second;
			this.newest = Math.max(this.newest, (this.now + 1) * 1e9);
		} else if (l.type === "event") {
			for (const o of l.output ?? [])
				if (o.action === "slow")
					this.takeSlow(l, o);
		} else if (l.type === "message") { // of the governor, of the reader
			this.takeMessage(l);
		} else if (l["severity"] === "error") {
			this.errors.push(`${String(l["source"])}, line ${String(l["line"])}: ${String(l["message"])}`);
		} else if (l.type === "diagnostic") { // what this kernel has no probes for
			this.lacks(/(\w+)\.d$/.exec(String(l["source"]))?.[1], "not on this kernel: " + String(l["message"]).replace(/^left out: /, ""));
		} else if (l.type === "drop" && l.tag !== "DTRACEDROP_IDLE") {
			this.lose(l.tag ?? "", l.count ?? 0, (l.text ?? "lost").replace(/^\d+ /, "").replace(/ (by \S+:\S*|on CPU \d+)$/, ""));
		}
		this.redraw();
	}

	private lacks(name: string | undefined, why: string): void {
		const p = this.panes.get(name ?? "");
		if (p)
			p.lacks(why);
		else
			this.lose(why, 0, why);
	}

	/** What the governor takes off is not measured any more, until it puts it back. */
	private takeMessage(l: Line): void {
		const text = l.text ?? "", [, what, probe = "", files] = /^maxcpu: (detached|attached) (\S+).*\((.*)\): /.exec(text) ?? [];
		for (const name of files?.match(/\w+(?=\.d)/g) ?? []) {
			const p = this.panes.get(name), second = Math.floor((l.time ?? this.newest) / SECOND), tag = `${name}.d ${probe}`;
			if (what === "attached") {
				p?.putBack(probe, second, Number(/for ([\d.]+) s$/.exec(text)?.[1] ?? 0));
				this.lost.delete(tag);
			} else if (p) {
				p.takeOff(probe, second, "not measured any more: " + text);
			} else {
				this.lost.set(tag, { count: 0, what: `of ${name}.d not all is measured any more: ${text}` });
			}
		}
		if (!files)
			this.lose(text.replace(/[\d.]+/g, ""), 0, text); // the last one of its kind
	}

	/** Why a second of a tracker was not measured; "": it was. */
	private gap(p: TrackerPane, second: number): string {
		return second < this.began ? "this page knows only what came later" : p.wasOff(second) ? "dwell had taken its own probes off: too much CPU time" :
			[...this.panes.values()].some((q) => q.data.cells.has(second)) ? "" :
				this.late > second ? "dwell got no CPU in time: counted behind the gap" : "nothing has come of this second";
	}

	private lose(tag: string, n: number, what: string): void {
		this.lost.set(tag, { count: (this.lost.get(tag)?.count ?? 0) + n, what });
	}

	private takeSlow(l: Line, o: Record<string, unknown>): void {
		this.newest = Math.max(this.newest, l.time!);
		const tracker = o["tracker"] as string, who = o["opener"] as { comm: string, tid: number };
		const attributes = o["attributes"] as Record<string, Value>, cause = causeOf(attributes);
		const slow = { tracker, end: l.time!, delay: o["delay"] as number, comm: who.comm, tid: who.tid, idle: isIdle(cause), peer: isPeer(cause),
			why: reason(tracker, attributes, false), cause: reason(tracker, attributes, true), attributes };
		this.slow.push(slow);
		if (!slow.idle)
			this.causes.add(slow);
		if (this.slow.length > SLOW_KEPT)
			this.slow.splice(0, SLOW_KEPT / 10);
	}

	private redraw(): void {
		this.pending ||= window.setTimeout(() => requestAnimationFrame(() => {
			this.pending = 0;
			this.draw();
		}), 200);
	}

	private draw(): void {
		if (!this.now)
			return;
		if (!this.note.classList.contains("bad"))
			this.note.hidden = true;
		if (!this.paused)
			for (const p of this.panes.values())
				p.draw(this.now);
		this.causes.draw(this.newest - MINUTE * SECOND, (name) => this.from(name));
		this.drawSlow();
		this.drawState();
		this.losses.textContent = [...this.lost.values()].map((v) => (v.count ? number(v.count) + " " : "") + v.what).join(" · ");
	}

	/** What is to be known at once. Each part stays where it is: what it is from is told while the pointer rests on it. */
	private drawState(): void {
		const off = [...this.panes.values()].filter((p) => p.stopped < Infinity).map((p) => p.name), put = (e: HTMLElement, text: string, from: string) => {
			e.textContent = text;
			e.title = from;
		}, tracker = (name: string) => this.panes.get(name)!, of = (name: string) => `from ${tracker(name).origin("hist")}, on average of the last ten seconds`;
		const worst = this.slow.filter((v) => !v.idle && v.end > this.newest - MINUTE * SECOND).sort((a, b) => Number(a.peer) - Number(b.peer) || b.delay - a.delay)[0];
		this.anew.hidden = !this.connected || !off.length;
		this.headline.className = this.connected && !off.length ? "" : "bad";
		if (!this.connected)
			put(this.headline, LOST, "");
		else if (off.length)
			put(this.headline, `Not measured any more (too much CPU time): ${off.join(", ")} `, "from message rows of recording live");
		else if (worst)
			put(this.headline, `Slowest: ${worst.comm}, ${amount(worst.delay, "ns")} (${worst.tracker}): ${worst.why}`, `from ${this.from(worst.tracker)}: ended ${worst.end}`);
		else
			put(this.headline, "Nothing was slow in the last minute.", "from table slow of recording live");
		put(this.queue, `Run queue: ${tracker("wakeup").atOnce(this.now)} threads wait for a CPU`, of("wakeup"));
		put(this.disks, `block I/O: ${tracker("block").atOnce(this.now)} requests in flight`, of("block"));
	}

	private from(name: string): string {
		return this.panes.get(name)?.origin("slow") ?? name;
	}

	private slowRow(s: Slow): HTMLTableRowElement {
		const stack = Object.values(s.attributes).map(stackOf).find((v) => v !== null);
		return addRow(make("tbody"), `from ${this.from(s.tracker)}: ended ${s.end}` + (stack ? "\n" + stack.join("\n") : ""),
			numeric(""), s.tracker, `${s.comm} ${s.tid}`, numeric(amount(s.delay, "ns")), make("td", s.why, "why"));
	}

	private drawSlow(): void {
		const shown = this.slow.filter((s) => this.inRange(s) && (this.idleToggle.checked || !s.idle)).slice(-SLOW_SHOWN).reverse();
		this.nothing.cells[0]!.textContent = this.selected ? "no slow event in this range" : "none so far";
		keepChildren(this.slowBody, shown.length ? shown.map((s) => {
			s.row ??= this.slowRow(s);
			s.row.cells[0]!.textContent = `${Math.floor((this.newest - s.end) / SECOND)} s`;
			return s.row;
		}) : [this.nothing]);
	}

	// -- a range of a heat map --

	private inRange(s: Slow): boolean {
		if (!this.selected)
			return true;
		const { pane, range } = this.selected, second = Math.floor(s.end / 1e9);
		return s.tracker === pane.name && second >= range.from && second <= range.to &&
			s.delay >= rowRange(range.low)[0] && s.delay < rowRange(range.high)[1];
	}

	private select(pane: TrackerPane | null, range: Range | null): void {
		for (const p of this.panes.values())
			if (p !== pane || !range)
				p.strip.clear();
		this.selected = pane && range ? { pane, range } : null;
		this.paused = this.selected !== null;
		if (!pane || !range)
			this.range.hide();
		else if (this.source)
			this.range.choose(this.source, { tracker: pane.name, from: range.from * SECOND, to: (range.to + 1) * SECOND, low: rowRange(range.low)[0], high: rowRange(range.high)[1] });
		this.onLink(this.link);
		this.draw();
	}

	private async toProgram(tracker: string, clause: string): Promise<void> {
		const p = await api.tracker(tracker).catch(() => null);
		this.onProgram((p?.text ?? "") + "\n" + clause);
	}

	// -- links --

	/** The part of the address that says what is chosen; times of the calendar, so that they mean the same in every run. */
	get link(): string {
		const { range, other, stacks } = this.range.shown, q = new URLSearchParams();
		if (range && this.source)
			putSelection(q, this.source, range, other, stacks);
		return q.size ? "overview?" + q.toString() : "overview";
	}
	onLink: (link: string) => void = () => {};

	/** Shows what an address says; as soon as there is something. */
	want(q: URLSearchParams): void {
		this.wanted = q.has("of") ? q : null;
		if (this.source)
			void this.restore();
	}

	private async restore(): Promise<void> {
		const q = this.wanted, s = this.source;
		if (!q || !s)
			return;
		this.wanted = null;
		const [range, other] = takeSelection(q, s), pane = range && this.panes.get(range.tracker);
		if (!range || !pane)
			return;
		pane.strip.range = { from: Math.round(range.from / SECOND), to: Math.round(range.to / SECOND) - 1, low: rowOf(range.low + 1), high: rowOf(range.high - 1) };
		this.selected = { pane, range: pane.strip.range };
		this.paused = true;
		this.range.show(s, range, other, q.get("stacks") ?? "");
		pane.strip.draw();
	}
}
