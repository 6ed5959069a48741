// SPDX-License-Identifier: Apache-2.0
// What is slow, who, and why: a heat map for each tracker, the slow events as they come, the stacks of the last minute.
import { sleep } from "../short.js";
import { api, ApiError, Bucket, Contents, Line, Value, viewUrl, watch } from "./api.js";
import { FlameData, showFlame } from "./flames.js";
import { COLUMNS, HeatData, HeatStrip, Range, rowOf, rowRange } from "./heatstrip.js";
import { stackOf } from "./output.js";
import { tabLinks } from "./pictures.js";
import { putSelection, RangeView, stackGroup, takeSelection } from "./rangeview.js";
import { reason } from "./slow.js";
import { origin, Source, times } from "./stretch.js";
import { amount, number } from "../amount.js";
import { make, makeButton, said } from "../dom.js";

const TRACKERS: [string, string][] = [["wakeup", "waiting for a CPU"], ["offcpu", "sleeping"], ["block", "block device requests"],
	["lock", "kernel locks"], ["reclaim", "freeing memory"], ["irq", "interrupt handlers"], ["softirq", "softirqs"]];
const SLOW_KEPT = 500, SLOW_SHOWN = 60, MINUTE = 60, SECOND = 1e9, FLAME_MS = 10000, EXPLAIN_MS = 8000, CONTENTS_MS = 500;

const FORBIDDEN = 403, LOST = "Connection lost, trying again…";
const NUMBERS = ["at once", "per s", "median", "99 %", "longest"];

export interface Slow {
	tracker: string;
	end: number; // ns
	delay: number;
	comm: string;
	pid: number;
	tid: number;
	by: string;
	idle: boolean;
	why: string;
	attributes: Record<string, Value>;
}

class Pane {
	readonly row = make("tr");
	readonly data = new HeatData();
	readonly strip: HeatStrip;
	private readonly numbers = [make("td", "", "n"), make("td", "", "n"), make("td", "", "n"), make("td", "", "n"), make("td", "", "n")];
	private readonly why = make("span", "", "muted");
	/** Whether anything was ever counted. */
	seen = false;
	private readonly max = new Map<number, number>();
	private readonly sum = new Map<number, number>();

	constructor(readonly name: string, what: string) {
		const head = make("th", name), cell = make("td", "", "heat");
		head.scope = "row";
		head.append(make("span", what, "muted"), this.why);
		this.strip = new HeatStrip(this.data, `${name}, ${what}`);
		cell.append(this.strip.canvas);
		this.row.append(head, cell, ...this.numbers);
		this.numbers.forEach((n, i) => { n.dataset["label"] = NUMBERS[i]!; });
		this.strip.where = this.origin("hist");
	}

	/** Why there is nothing. */
	lacks(why: string): void {
		this.why.textContent = why;
		this.why.className = "lossy";
	}

	origin(table: string): string {
		return `${this.name} of ${this.name}.d, table ${table} of recording live`;
	}

	add(l: Line): void {
		const second = Math.floor(l.time! / 1e9);
		this.seen = true;
		this.data.add(second, l["buckets"] as Bucket[]);
		this.max.set(second, Math.max(this.max.get(second) ?? 0, l["max"] as number));
		this.sum.set(second, (this.sum.get(second) ?? 0) + (l["sum"] as number));
		for (const m of [this.max, this.sum])
			for (const s of m.keys())
				if (s < second - 2 * COLUMNS)
					m.delete(s);
	}

	/** How many there were at once, on average of the last ten seconds: the time that all took, by second (Little's law). */
	atOnce(now: number): number {
		let all = 0;
		for (let s = now - 9; s <= now; s++)
			all += this.sum.get(s) ?? 0;
		return all / 10 / SECOND;
	}

	draw(now: number): void {
		const from = now - MINUTE + 1, n = this.data.sum(from, now).reduce((a, b) => a + b, 0);
		const max = Math.max(0, ...[...this.max].filter(([s]) => s >= from && s <= now).map(([, v]) => v));
		const time = (v: number) => v ? amount(v, "ns") : "–";
		const quantile = (share: number) => time(Math.min(max, this.data.quantile(from, now, share))); // a row's middle may lie above
		[few(this.atOnce(now)), number(n / MINUTE), quantile(0.5), quantile(0.99), time(max)].forEach((t, i) => {
			const cell = this.numbers[i]!, title = `from ${this.origin("hist")}, seconds ${i ? from : now - 9} to ${now} since the machine started`;
			cell.textContent = t;
			if (cell.title !== title)
				cell.title = title;
		});
		this.strip.now = now;
		this.strip.draw();
	}
}

/** 0.02, 3.1, 120 */
function few(v: number): string {
	return v >= 10 ? number(v) : v >= 0.95 ? v.toFixed(1) : v >= 0.005 ? v.toFixed(2) : "0";
}

export class Overview {
	readonly element = make("section", "", "overview");
	private readonly panes = new Map<string, Pane>();
	private readonly slowBody = make("tbody");
	private readonly note = make("p", "Waiting for the first events…", "muted note");
	private readonly top = make("div", "", "top");
	private readonly live = make("div", "", "live");
	private readonly state = make("p", "", "state-line");
	readonly range = new RangeView();
	private readonly save = make("a", "Save what is recorded so far", "button empty");
	private readonly flame = make("div", "", "flame-host");
	private readonly flameBar = make("div", "", "bar");
	private stacks = "on_cpu";
	private readonly losses = make("span", "", "lossy");
	private readonly idleToggle = make("input");
	source: Source | null = null;
	private wanted: URLSearchParams | null = null; // a range of the address, until there is a recording
	private cost = "";
	private run = 0;
	private readonly lost = new Map<string, { count: number, what: string }>(); // by tag
	private unwatch: () => void = () => {};
	private pending = 0;
	private selected: { pane: Pane, range: Range } | null = null;
	private paused = false;
	connected = true;
	readonly slow: Slow[] = [];
	now = 0;
	private newest = 0; // ns: of all that came
	onProgram: (text: string) => void = () => {};

	constructor() {
		const table = make("table", "", "trackers"), head = table.createTHead().insertRow(), body = table.createTBody();
		for (const [text, cls] of [["tracker", ""], [`delays, last ${COLUMNS / 60} minutes`, ""], ...NUMBERS.map((t) => [t, "n"])])
			head.append(make("th", text, cls));
		head.cells[2]!.title = "how many there are at the same time, on average of the last ten seconds";
		for (const [name, what] of TRACKERS) {
			const p = new Pane(name, what);
			this.panes.set(name, p);
			body.append(p.row);
			p.strip.onRange = (range) => this.select(p, range);
		}
		this.range.onClose = () => this.select(null, null);
		this.range.onProgram = (r, clause) => void this.toProgram(r.tracker, clause);
		this.range.onChange = () => this.onLink(this.link);
		this.state.setAttribute("role", "status");
		this.losses.title = "from table loss of recording live, since this page was opened";
		this.save.href = viewUrl("live", "recording");
		this.save.setAttribute("download", "");
		this.save.title = "the recording of this view as a file: the last ten minutes at most; any dwell shows it";
		this.top.append(tabLinks("live", "", "#overview"), this.save);
		this.live.append(this.state, table, this.range.element, this.slowSection(), this.flameSection());
		this.element.append(this.top, this.note, this.live);
	}

	private slowSection(): HTMLElement {
		const box = make("section", "", "picture"), table = make("table", "", "slow"), head = table.createTHead().insertRow();
		const label = make("label", "", "muted"), title = make("h2", "Slow events ");
		this.idleToggle.type = "checkbox";
		this.idleToggle.addEventListener("change", () => this.drawSlow());
		label.append(this.idleToggle, " idle waits too");
		title.append(label, " ", this.losses);
		for (const [text, cls] of [["ago", "n"], ["tracker", ""], ["who", ""], ["how long", "n"], ["why", ""]])
			head.append(make("th", text, cls));
		table.append(this.slowBody);
		box.append(title, table);
		return box;
	}

	private flameSection(): HTMLElement {
		const box = make("section", "", "picture wide"), group = stackGroup(["on_cpu", "off_cpu_ns"], () => this.stacks, (name) => {
			this.stacks = name;
			void this.drawFlame(false);
		});
		this.flameBar.append(make("h2", "Stacks of the last minute"), group);
		this.flame.append(make("p", "The first come after a few seconds.", "muted"));
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
				this.flame.replaceChildren(make("p", "There is no recording of this view: ranges and stacks cannot be shown.", "muted"));
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

	/** A tracker that has counted nothing may be one that this kernel has no probes for. */
	private async explain(): Promise<void> {
		const run = this.run;
		await sleep(EXPLAIN_MS);
		for (const p of this.panes.values()) {
			if (p.seen || run !== this.run || !run)
				continue;
			const text = (await api.tracker(p.name).catch(() => null))?.text, found = text ? await api.check(text).catch(() => null) : null;
			const bad = found?.lines.find((d) => d.severity === "error");
			if (bad && !p.seen)
				p.lacks("not on this kernel: " + bad.message);
		}
	}

	private async drawFlame(again: boolean): Promise<void> {
		const s = this.source, to = (this.now + 1) * SECOND;
		if (!s)
			return;
		const d = await api.view<FlameData>("live", "flame.json", { by: "@" + this.stacks, from: times(s, to - MINUTE * SECOND, to).from }).catch((e: Error) => e);
		if (d instanceof Error)
			this.flame.replaceChildren(make("p", d.message, "muted"));
		else
			await showFlame(this.flame, d, again, origin(s, "@" + this.stacks, "row"));
	}

	private async readCost(): Promise<void> {
		const s = this.source!, rows = await api.viewLines<{ time: number, run_ns: number }>("live", "costs.json", {
			from: times(s, (this.now - MINUTE) * SECOND, 0).from }).catch(() => []);
		const first = Math.min(...rows.map((r) => r.time)), last = Math.max(...rows.map((r) => r.time));
		const all = rows.filter((r) => r.time > first).reduce((a, r) => a + r.run_ns, 0);
		if (last > first)
			this.cost = `dwell itself ${(100 * all / (last - first)).toFixed(1)} % of a CPU`;
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
		void this.open();
		void this.explain();
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
		const may = !(e instanceof ApiError && e.status === FORBIDDEN), link = make("a", "Recordings");
		this.live.hidden = this.top.hidden = !may;
		this.say(may ? said(e) : "Nothing is traced: start the server with `sudo dwell serve` to see what is slow now. What was recorded can be looked at: ", may);
		link.href = "#recording";
		if (!may)
			this.note.append(link, ".");
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
		const bad = (text ?? "").split("\n").filter((l) => l && !/ matched \d+ probes?$/.test(l)).slice(-8).join("\n");
		this.say("The trackers have ended. " + bad + (bad ? "\n`dwell features` tells what this kernel has, and what not." : ""), true);
		this.note.append(" ", makeButton("Start again", "start the trackers", () => void this.start()));
	}

	private take(l: Line): void {
		if (l.type === "histogram") {
			this.panes.get(l["tracker"] as string)?.add(l);
			this.now = Math.max(this.now, Math.floor(l.time! / 1e9));
			this.newest = Math.max(this.newest, (this.now + 1) * 1e9);
		} else if (l.type === "event") {
			for (const o of l.output ?? [])
				if (o.action === "slow")
					this.takeSlow(l, o);
		} else if (l.type === "message") { // of the governor, of the reader
			this.lose("message " + (l.text ?? ""), 0, l.text ?? "");
		} else if (l.type === "drop") {
			this.lose(l.tag ?? "", l.count ?? 0, (l.text ?? "lost").replace(/^\d+ /, "").replace(/ (by \S+:\S*|on CPU \d+)$/, ""));
		}
		this.redraw();
	}

	private lose(tag: string, n: number, what: string): void {
		this.lost.set(tag, { count: (this.lost.get(tag)?.count ?? 0) + n, what });
	}

	private takeSlow(l: Line, o: Record<string, unknown>): void {
		this.newest = Math.max(this.newest, l.time!);
		const who = o["opener"] as { comm: string, pid: number, tid: number }, by = o["closer"] as { comm: string, tid: number };
		const attributes = o["attributes"] as Record<string, Value>, cause = attributes["cause"] as { class?: string } | undefined;
		this.slow.push({ tracker: o["tracker"] as string, end: l.time!, delay: o["delay"] as number, comm: who.comm, pid: who.pid, tid: who.tid,
			by: `${by.comm} ${by.tid}`, idle: cause?.class === "idle" || cause?.class === "time", why: reason(o["tracker"] as string, attributes, false), attributes });
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
		this.drawSlow();
		this.drawState();
		this.losses.textContent = [...this.lost.values()].map((v) => (v.count ? number(v.count) + " " : "") + v.what).join(" · ");
	}

	/** What is to be known at once. */
	private drawState(): void {
		const at = (name: string) => few(this.panes.get(name)!.atOnce(this.now)), worst = [...this.slow].filter((v) => !v.idle && v.end > this.newest - MINUTE * SECOND)
			.sort((a, b) => b.delay - a.delay)[0];
		const part = (text: string, from: string, tag: "b" | "span" = "span") => {
			const e = make(tag, text);
			e.title = "from " + from;
			return e;
		}, of = (name: string) => this.panes.get(name)!.origin("hist") + ", on average of the last ten seconds";
		this.state.replaceChildren();
		if (!this.connected)
			this.state.append(make("b", LOST, "bad"), make("br"));
		else if (worst)
			this.state.append(part(`Slowest of the last minute: ${worst.comm}, ${amount(worst.delay, "ns")} (${worst.tracker}): ${worst.why}`,
				`${this.panes.get(worst.tracker)?.origin("slow") ?? worst.tracker}: ended ${worst.end}`, "b"), make("br"));
		this.state.append(part(`Run queue: ${at("wakeup")} threads wait for a CPU`, of("wakeup")), " · ", part(`block I/O: ${at("block")} requests in flight`, of("block")),
			...this.cost ? [" · ", part(this.cost, "all programs of this view, table cost of recording live, the last minute")] : []);
	}

	private drawSlow(): void {
		const shown = this.slow.filter((s) => this.inRange(s) && (this.idleToggle.checked || !s.idle)).slice(-SLOW_SHOWN).reverse();
		this.slowBody.replaceChildren(...shown.map((s) => {
			const tr = make("tr"), why = make("td", s.why, "why"), stack = Object.values(s.attributes).map(stackOf).find((v) => v !== null);
			tr.title = `from ${this.panes.get(s.tracker)?.origin("slow") ?? s.tracker}: ended ${s.end}` + (stack ? "\n" + stack.join("\n") : "");
			tr.append(make("td", `${Math.floor((this.newest - s.end) / 1e9)} s`, "n"), make("td", s.tracker),
				make("td", `${s.comm} ${s.tid}`), make("td", amount(s.delay, "ns"), "n"), why);
			return tr;
		}));
		if (!shown.length) {
			const td = make("td", this.selected ? "no slow event in this range" : "none so far", "muted");
			td.colSpan = 5;
			this.slowBody.append(make("tr"));
			this.slowBody.lastElementChild!.append(td);
		}
	}

	// -- a range of a heat map --

	private inRange(s: Slow): boolean {
		if (!this.selected)
			return true;
		const { pane, range } = this.selected, second = Math.floor(s.end / 1e9);
		return s.tracker === pane.name && second >= range.from && second <= range.to &&
			s.delay >= rowRange(range.low)[0] && s.delay < rowRange(range.high)[1];
	}

	private select(pane: Pane | null, range: Range | null): void {
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
