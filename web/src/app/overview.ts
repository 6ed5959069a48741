// SPDX-License-Identifier: Apache-2.0
// What is slow, who, and why: a heat map for each tracker, the slow events as they come, the stacks of the last minute.
import { api, ApiError, Bucket, Line, Value, watch } from "./api.js";
import { stacksOf } from "./aggview.js";
import { flameOf } from "./flames.js";
import { COLUMNS, HeatData, HeatStrip, Range, rowRange } from "./heatstrip.js";
import { show, stackOf } from "./output.js";
import { amount, number } from "../amount.js";
import { make, makeButton } from "../dom.js";

const TRACKERS: [string, string][] = [["wakeup", "waiting for a CPU"], ["offcpu", "sleeping"], ["block", "block device requests"],
	["lock", "kernel locks"], ["reclaim", "freeing memory"], ["irq", "interrupt handlers"], ["softirq", "softirqs"]];
const SLOW_KEPT = 500, SLOW_SHOWN = 60, MINUTE = 60, SLICES = 6;

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

/** What an event says of its reason, in one line. */
function reason(tracker: string, a: Record<string, Value>): string {
	const text = (k: string) => a[k] === undefined || a[k] === "" ? "" : show(a[k]!);
	const cause = a["cause"] && typeof a["cause"] === "object" && "cause" in a["cause"] ? String(a["cause"].cause) : "";
	switch (tracker) {
	case "wakeup":
		return `${text("state")}; the CPU was ${text("prev_comm")} ${text("prev_tid")}'s`;
	case "block":
		return `${text("op")} of ${amount(Number(a["bytes"] ?? 0), "bytes")} on ${text("dev")}`;
	case "lock":
		return `${cause || text("lock_kind")}${text("holder_comm") ? `, held by ${text("holder_comm")} ${text("holder_tid")}` : ""}`;
	case "irq":
		return `handler ${text("name")} of interrupt ${text("irq")}`;
	case "softirq":
		return text("vec");
	default:
		return cause + (text("waker_comm") ? `, woken by ${text("waker_comm")} ${text("waker_tid")}` : "");
	}
}

class Pane {
	readonly row = make("tr");
	readonly data = new HeatData();
	readonly strip: HeatStrip;
	private readonly numbers = [make("td", "", "n"), make("td", "", "n"), make("td", "", "n"), make("td", "", "n")];
	max = new Map<number, number>();

	constructor(readonly name: string, what: string) {
		const head = make("th", name), cell = make("td", "", "heat");
		head.scope = "row";
		head.append(make("span", what, "muted"));
		this.strip = new HeatStrip(this.data, `${name}, ${what}`);
		cell.append(this.strip.canvas);
		this.row.append(head, cell, ...this.numbers);
	}

	add(l: Line): void {
		const second = Math.floor(l.time! / 1e9);
		this.data.add(second, l["buckets"] as Bucket[]);
		this.max.set(second, Math.max(this.max.get(second) ?? 0, l["max"] as number));
		for (const s of this.max.keys())
			if (s < second - 2 * COLUMNS)
				this.max.delete(s);
	}

	draw(now: number): void {
		const from = now - MINUTE + 1, n = this.data.sum(from, now).reduce((a, b) => a + b, 0);
		const max = Math.max(0, ...[...this.max].filter(([s]) => s >= from && s <= now).map(([, v]) => v));
		const time = (v: number) => v ? amount(v, "ns") : "–";
		const quantile = (share: number) => time(Math.min(max, this.data.quantile(from, now, share))); // a row's middle may lie above
		[number(n / MINUTE), quantile(0.5), quantile(0.99), time(max)].forEach((t, i) => {
			this.numbers[i]!.textContent = t;
		});
		this.strip.now = now;
		this.strip.draw();
	}
}

export class Overview {
	readonly element = make("section", "", "overview");
	private readonly panes = new Map<string, Pane>();
	private readonly slowBody = make("tbody");
	private readonly note = make("p", "Waiting for the first events…", "muted note");
	private readonly detail = make("aside", "", "detail-pane");
	private readonly cpu = make("div", "", "cpu-flame");
	private readonly losses = make("span", "", "lossy");
	private readonly idleToggle = make("input");
	private slices: { frames: string[], weight: number }[][] = [];
	private run = 0;
	private lostCount = 0;
	private unwatch: () => void = () => {};
	private pending = 0;
	private selected: { pane: Pane, range: Range } | null = null;
	private paused = false;
	readonly slow: Slow[] = [];
	now = 0;
	private newest = 0; // ns: of all that came
	onProgram: (text: string) => void = () => {};

	constructor() {
		const table = make("table", "", "trackers"), head = table.createTHead().insertRow(), body = table.createTBody();
		for (const [text, cls] of [["tracker", ""], [`delays, last ${COLUMNS / 60} minutes`, ""], ["per s", "n"], ["median", "n"], ["99 %", "n"], ["longest", "n"]])
			head.append(make("th", text, cls));
		for (const [name, what] of TRACKERS) {
			const p = new Pane(name, what);
			this.panes.set(name, p);
			body.append(p.row);
			p.strip.onRange = (range) => this.select(p, range);
		}
		this.detail.hidden = true;
		this.detail.setAttribute("aria-label", "Selected range");
		this.element.append(this.note, table, this.detail, this.slowSection(), this.cpuSection());
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

	private cpuSection(): HTMLElement {
		const box = make("section", "", "picture wide");
		box.append(make("h2", "On the CPU, last minute (99 Hz)"), this.cpu);
		this.cpu.append(make("p", "The first slice comes after ten seconds.", "muted"));
		return box;
	}

	async start(): Promise<void> {
		if (this.run)
			return;
		try {
			this.run = await api.overview();
		} catch (e) {
			this.say(e instanceof ApiError ? e.message : String(e), true);
			return;
		}
		this.unwatch = watch(this.run, {
			line: (l) => this.take(l),
			lost: () => {},
			end: (text) => this.ended(text),
			connected: (yes) => { if (!yes) this.say("Connection lost, trying again…", true); else this.say("", false); },
		});
	}

	private say(text: string, bad: boolean): void {
		this.note.textContent = text;
		this.note.hidden = !text;
		this.note.classList.toggle("bad", bad);
	}

	private ended(text: string | null): void {
		this.unwatch();
		this.run = 0;
		const bad = (text ?? "").split("\n").filter((l) => l && !/ matched \d+ probes?$/.test(l)).slice(-8).join("\n");
		this.say("The trackers have ended. " + bad, true);
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
				else if (o.action === "printa")
					this.takeStacks(o as unknown as Line);
		} else if (l.type === "drop") {
			this.lostCount += l.count ?? 0;
		}
		this.redraw();
	}

	private takeSlow(l: Line, o: Record<string, unknown>): void {
		this.newest = Math.max(this.newest, l.time!);
		const who = o["opener"] as { comm: string, pid: number, tid: number }, by = o["closer"] as { comm: string, tid: number };
		const attributes = o["attributes"] as Record<string, Value>, cause = attributes["cause"] as { class?: string } | undefined;
		this.slow.push({ tracker: o["tracker"] as string, end: l.time!, delay: o["delay"] as number, comm: who.comm, pid: who.pid, tid: who.tid,
			by: `${by.comm} ${by.tid}`, idle: cause?.class === "idle" || cause?.class === "time", why: reason(o["tracker"] as string, attributes), attributes });
		if (this.slow.length > SLOW_KEPT)
			this.slow.splice(0, SLOW_KEPT / 10);
	}

	private takeStacks(l: Line): void {
		l.aggregations?.forEach((a, k) => {
			const rows = l.rows!.map((r) => ({ key: r.key, values: [r.values[k]!] }));
			const stacks = stacksOf({ name: a.name, func: a.function, rows, leftOut: 0 });
			if (stacks)
				this.slices.push(stacks);
		});
		this.slices.splice(0, Math.max(0, this.slices.length - 2 * SLICES));
		if (this.slices.length)
			flameOf(this.cpu, this.slices.flat());
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
		this.losses.textContent = this.lostCount ? `${number(this.lostCount)} not shown: more than the limit per second` : "";
	}

	private drawSlow(): void {
		const shown = this.slow.filter((s) => this.inRange(s) && (this.idleToggle.checked || !s.idle)).slice(-SLOW_SHOWN).reverse();
		this.slowBody.replaceChildren(...shown.map((s) => {
			const tr = make("tr"), why = make("td", s.why, "why"), stack = Object.values(s.attributes).map(stackOf).find((v) => v !== null);
			if (stack)
				why.title = stack.join("\n");
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

	private select(pane: Pane, range: Range | null): void {
		for (const p of this.panes.values())
			if (p !== pane)
				p.strip.clear();
		this.selected = range ? { pane, range } : null;
		this.paused = range !== null;
		this.detail.hidden = range === null;
		if (range)
			this.showRange(pane, range);
		this.draw();
	}

	private showRange(pane: Pane, r: Range): void {
		const rows = pane.data.sum(r.from, r.to), [low] = rowRange(r.low), [, high] = rowRange(r.high);
		let n = 0, all = 0;
		rows.forEach((v, i) => { all += v; if (i >= r.low && i <= r.high) n += v; });
		const bound = (v: number) => Number.isFinite(v) ? amount(v, "ns") : "∞";
		const predicate = `latency:${pane.name}::all\n/args[0]->delay >= ${Math.round(low)}${Number.isFinite(high) ? ` && args[0]->delay < ${Math.round(high)}` : ""}/\n` +
			"{\n\t@[args[0]->comm] = hist(args[0]->delay);\n}\n";
		const code = make("pre", predicate, "code"), close = makeButton("Show everything", "end the selection (Escape)", () => {
			pane.strip.clear();
			this.select(pane, null);
		});
		this.detail.replaceChildren(make("h2", `${pane.name}: ${r.to - r.from + 1} s, ${bound(low)} – ${bound(high)}`),
			make("p", `${number(n)} of ${number(all)} delays of these seconds. The clause that selects them:`), code,
			makeButton("Program", "open it with its tracker in the editor", () => void this.toProgram(pane.name, predicate)), close);
	}

	private async toProgram(tracker: string, clause: string): Promise<void> {
		const p = await api.tracker(tracker).catch(() => null);
		this.onProgram((p?.text ?? "") + "\n" + clause);
	}
}
