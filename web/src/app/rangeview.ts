// SPDX-License-Identifier: Apache-2.0
// A range of a heat map looked at closely: whose the delays are, the slow events among them, the stacks of exactly these
// seconds, the clause of D that selects them; and the same compared with another range.
import { clamp, sleep, sum } from "../short.js";
import { Apart } from "./apart.js";
import { api, Params, SlowRow } from "./api.js";
import { FlameData, showFlame } from "./flames.js";
import { compareShares, Counts, enough, ShareChange } from "./shares.js";
import { reason } from "./slow.js";
import { Chosen, selecting } from "./selecting.js";
import { histName, origin, Source, stretchLinks, times, wall } from "./stretch.js";
import { saveLinks, savePicture } from "./tabframe.js";
import { amount, number, percent } from "../amount.js";
import { unpack } from "../bytes.js";
import { addRow, barCell, fill, grow, make, makeButton, makeGroup, makeNote, makePre, makeTable, named, numeric, said } from "../dom.js";
import { decodeHeat, HeatHead, Plane } from "../heatmodel.js";
import { timeText } from "../heat.js";
import { keyCss } from "../keycolour.js";

/** A stretch of time (ns of the recording's clock) and of values. */
export interface Selection {
	tracker: string; // or "@aggregation"
	from: number;
	to: number;
	low: number;
	high: number; // Infinity: no limit
}

const KEYS = 12, SLOW = 25, CAUSES_FROM = 5000;
const SECOND = 1e9;
const LATER = 3, LATER_MS = 4000, LATE = 10 * SECOND;
const LIVE_KEYED = ["wakeup", "offcpu", "block", "lock", "reclaim"]; // by overview.d

function before(s: Source, b: Selection | null): Params {
	return b ? { before_from: times(s, b.from, b.to).from, before_to: times(s, b.from, b.to).to } : {};
}

/** What has keys where the tracker itself has none. */
function keyed(s: Source, name: string): string {
	const by = `by_${name}_ns`;
	return s.id === "live" && LIVE_KEYED.includes(name) || s.info.histograms.some((h) => h.name === by) ? "@" + by : name;
}

export function describe(s: Source, r: Selection): string {
	const a = Math.round(wall(s, r.from)), b = Math.round(wall(s, r.to)), bound = (v: number) => Number.isFinite(v) ? amount(v, unitOf(s, r.tracker)) : "∞";
	return `${r.tracker} · ${timeText(a, b - a)} – ${timeText(b, b - a)} UTC · ${bound(r.low)} – ${bound(r.high)}`;
}

function unitOf(s: Source, tracker: string): string {
	return s.info.histograms.find((h) => histName(h) === tracker)?.unit ?? "";
}

export class RangeView {
	readonly element = make("section", "", "detail-pane");
	private readonly title = make("h2");
	private readonly who = make("div", "", "who");
	private readonly slow = make("div", "", "slow-box");
	private readonly flame = make("div", "", "flame-host");
	private readonly flameBar = make("div", "", "bar");
	private readonly code = makePre("", "code");
	private readonly compareBar = make("div", "", "bar");
	readonly apart = new Apart();
	private source: Source | null = null;
	private range: Selection | null = null;
	private other: Selection | null = null;
	private stacks = "";
	private asked = 0;
	/** The next range that is chosen is the one to compare with. */
	picking = false;
	/** What is shown, for tests and links. */
	get shown(): { range: Selection | null, other: Selection | null, stacks: string } { return { range: this.range, other: this.other, stacks: this.stacks }; }
	changes: ShareChange[] = [];
	/** program: the whole of it with the clause in its place; null: the clause is to follow the tracker's program. */
	onProgram: (r: Selection, clause: string, program: string | null) => void = () => {};
	onClose: () => void = () => {};
	onChange: () => void = () => {};

	constructor() {
		const two = make("div", "", "columns");
		this.element.hidden = true;
		this.element.ariaLabel = "Selected range";
		this.element.role = "region";
		for (const [box, label] of [[this.who, "Whose delays"], [this.slow, "Slow events of the range"]] as const) {
			named(box, "group", label);
		}
		two.append(this.who, this.slow);
		this.element.append(this.title, this.compareBar, two, this.apart.element, this.flameBar, this.flame, make("h3", "The clause of D that selects it"), this.code);
	}

	hide(): void {
		this.range = this.other = null;
		this.picking = false;
		this.asked++;
		this.apart.clear();
		this.element.hidden = true;
	}

	/** Shows r, or takes it as what the range that is shown is compared with. */
	choose(source: Source, r: Selection): void {
		if (this.picking && this.range)
			this.show(source, this.range, r, this.stacks);
		else
			this.show(source, r, null, this.stacks);
	}

	show(source: Source, r: Selection, other: Selection | null, stacks: string): void {
		this.source = source;
		this.range = r;
		this.other = other;
		this.picking = false;
		this.stacks = source.info.stacks.some((s) => s.name === stacks) ? stacks : source.info.stacks[0]?.name ?? "";
		this.element.hidden = false;
		this.title.textContent = describe(source, r);
		this.code.textContent = this.clause()?.clause ?? `No program of this recording adds values to ${r.tracker}.`;
		this.drawCompareBar();
		this.drawFlameBar();
		const n = ++this.asked;
		void this.fill(n, other ? "What sets these seconds apart" : "What sets these seconds apart from the rest of the recording");
		this.onChange();
	}

	/** All at once, and then what takes longest. */
	private async fill(n: number, apart: string): Promise<void> {
		const s = this.source!, late = s.id === "live" && this.range!.to > (s.info.extent?.[1] ?? 0) - LATE;

		this.apart.expect(apart);
		await Promise.all([this.fillWho(n), this.fillSlow(n), this.fillFlame(n, false)]);
		if (n === this.asked)
			await this.apart.show(apart, this.source!, { ...times(this.source!, this.range!.from, this.range!.to), ...before(this.source!, this.other) });
		// What is known of the last seconds of a live view is written some seconds later, on a busy machine.
		for (let i = late ? LATER : 0; i-- > 0 && n === this.asked;) {
			await sleep(LATER_MS);
			if (n === this.asked) // what comes when something else was asked for is not shown
				await Promise.all([this.fillWho(n), this.fillSlow(n), this.fillFlame(n, true)]);
		}
	}

	private drawCompareBar(): void {
		const s = this.source!, r = this.range!, o = this.other, length = r.to - r.from;
		const earlier = { ...r, from: r.from - length, to: r.from }, first = s.info.extent?.[0] ?? 0;
		const all: (Node | string)[] = [], chosen = this.clause();
		const program = makeButton("Program", "open the clause with its program in the editor", () => chosen && this.onProgram(r, chosen.clause, chosen.program));
		program.disabled = !chosen;
		if (o) {
			all.push(make("span", "compared with " + describe(s, o), "versus"), makeButton("Swap", "compare the other way round", () => this.show(s, o, r, this.stacks)),
				makeButton("Without comparison", "this range alone", () => this.show(s, r, null, this.stacks)));
		} else {
			const b = makeButton("the time before", "compare with as long a time just before it", () => this.show(s, r, earlier, this.stacks));
			b.disabled = earlier.from < first;
			const pick = makeButton("another range", "then choose it in a heat map", () => {
				this.picking = true;
				pick.ariaPressed = "true";
			});
			all.push("Compare with", b, pick);
		}
		all.push(grow(), ...stretchLinks(s, r.tracker, r, o), program,
			makeButton("Show everything", "end the selection (Escape)", () => this.onClose()));
		fill(this.compareBar, ...all);
	}

	private drawFlameBar(): void {
		const s = this.source!, r = this.range!, group = stackGroup(s.info.stacks.map((k) => k.name), () => this.stacks, (name) => {
			this.stacks = name;
			this.drawFlameBar();
			void this.fillFlame(++this.asked, false);
			this.onChange();
		});
		const by = { by: "@" + this.stacks, ...times(s, r.from, r.to) };
		fill(this.flameBar, make("h3", "Stacks of these seconds"), group, grow(),
			savePicture(s.id, "flame", { ...by, title: describe(s, r), ...before(s, this.other) }, ...this.other ? [] : [saveLinks(s.id, STACK_FILES, by)]));
		this.flameBar.hidden = this.flame.hidden = !this.stacks;
	}

	private clause(): Chosen | null {
		const r = this.range!, high = Number.isFinite(r.high) ? ` && args[0]->delay < ${Math.round(r.high)}` : "";
		if (r.tracker.startsWith("@"))
			return selecting(this.source!.info.programs.map((p) => p.text).join("\n"), r.tracker.slice(1), r.low, r.high,
				this.source!.info.histograms.some((h) => histName(h) === r.tracker && h.slot > 0));
		return { clause: `latency:${r.tracker}::all\n/args[0]->delay >= ${Math.round(r.low)}${high}/\n{\n\t@[args[0]->comm] = hist(args[0]->delay);\n}\n`, program: null };
	}

	// -- whose --

	private async counts(r: Selection): Promise<Counts> {
		const s = this.source!;
		const head = await api.view<HeatHead & { cells: string }>(s.id, "heat.json", { by: keyed(s, r.tracker), ...times(s, r.from, r.to), step: "1s" });
		const planes = decodeHeat(await unpack(head.cells), head), first = Math.round((head.begin - wall(s, r.from)) / 1e3);
		return countsOf(head, planes, r, secondsOf(r), first);
	}

	private async fillWho(n: number): Promise<void> {
		const s = this.source!, r = this.range!, other = this.other;
		try {
			const now = await this.counts(r), then = other ? await this.counts(other) : null;
			if (n !== this.asked)
				return;
			const from = `from ${origin(s, keyed(s, r.tracker), "hist")}, by octave`;
			this.changes = then ? compareShares(then, now) : [];
			fill(this.who, make("h3", then ? "Whose delays, by share" : "Whose delays"), then ? changeTable(this.changes, from) : keyTable(now, from));
			if (then && !enough(then, now))
				this.who.append(makeNote("Less than five seconds: chance cannot be told from change."));
			else if (then && !this.changes.some((c) => c.sure))
				this.who.append(makeNote("No share differs by more than chance may."));
		} catch (e) {
			if (n === this.asked)
				fill(this.who, make("h3", "Whose delays"), makeNote(said(e)));
		}
	}

	// -- slow events --

	private async fillSlow(n: number): Promise<void> {
		const s = this.source!, r = this.range!;
		const ask = (q: Selection, most: number) => q.tracker.startsWith("@") ? Promise.resolve([]) : api.viewLines<SlowRow>(s.id, "slow.json",
			{ ...times(s, q.from, q.to), tracker: q.tracker, longest: most, over: Math.floor(q.low) + "ns",
				under: Number.isFinite(q.high) ? Math.ceil(q.high) + "ns" : undefined }).catch(() => []);
		const now = await ask(r, CAUSES_FROM), then = this.other ? await ask(this.other, CAUSES_FROM) : null;
		if (n !== this.asked)
			return;
		fill(this.slow, make("h3", "Slow events"));
		if (then) {
			this.slow.append(changeTable(compareShares(causeCounts(then, this.other!), causeCounts(now, r)), "causes of slow events, from " + origin(s, r.tracker, "slow")));
			return;
		}
		this.slow.append(now.length ? slowTable(s, now.slice(0, SLOW)) : makeNote("None: what is below the tracker's threshold is counted, but not kept one by one."));
		if (now.length > SLOW)
			this.slow.append(makeNote(`${number(now.length - SLOW)} more, all shorter`));
	}

	// -- stacks --

	private async fillFlame(n: number, again: boolean): Promise<void> {
		const s = this.source!, r = this.range!;
		if (!this.stacks)
			return;
		try {
			const d = await api.view<FlameData>(s.id, "flame.json", { by: "@" + this.stacks, ...times(s, r.from, r.to), ...before(s, this.other) });
			if (n === this.asked)
				await showFlame(this.flame, d, again, origin(s, "@" + this.stacks, "row"));
		} catch (e) {
			if (n === this.asked)
				fill(this.flame, makeNote("No stacks: " + said(e)));
		}
	}
}

function stackTitle(name: string): string {
	return name === "on_cpu" ? "On the CPU" : name === "off_cpu_ns" ? "Off the CPU" : "@" + name;
}

/** Buttons that choose an aggregation with stacks. */
export function stackGroup(names: string[], now: () => string, set: (name: string) => void): HTMLElement {
	return makeGroup(names.map((name) => [name, stackTitle(name), "stacks of @" + name] as const), (name) => name === now(), set).element;
}

/** What stacks are saved as for other tools. */
export const STACK_FILES = [["stacks.folded", "folded"], ["stacks.pb.gz", "pprof"]] as const;

function secondsOf(r: Selection): number {
	return Math.max(1, Math.round((r.to - r.from) / SECOND));
}

/** Of cells that the range has a part of, that part. first: the second of column 0. */
export function countsOf(head: HeatHead, planes: Plane[], r: { low: number, high: number }, seconds: number, first: number): Counts {
	const part = new Float64Array(head.rows), all = new Float64Array(seconds), byKey = new Map<string, Float64Array>();
	for (let i = 0; i < head.rows; i++) {
		const a = head.edges[i]!, b = head.edges[i + 1]!;
		part[i] = Math.max(0, Math.min(b, r.high) - Math.max(a, r.low)) / (b - a);
	}
	for (const p of planes) {
		const x = new Float64Array(seconds);
		for (let i = 0; i < p.index.length; i++) {
			const column = Math.floor(p.index[i]! / head.rows) + first, v = p.count[i]! * part[p.index[i]! % head.rows]!;
			if (column >= 0 && column < seconds) {
				x[column]! += v;
				all[column]! += v;
			}
		}
		byKey.set(p.key || "all", x);
	}
	return { byKey, all };
}

function causeCounts(rows: SlowRow[], r: Selection): Counts {
	const seconds = secondsOf(r), all = new Float64Array(seconds), byKey = new Map<string, Float64Array>();
	for (const e of rows) {
		const i = clamp(Math.floor((e.ended - r.from) / SECOND), 0, seconds - 1), key = reason(e.tracker, e.attributes, true) || "unknown", x = byKey.get(key) ?? new Float64Array(seconds);
		byKey.set(key, x);
		x[i]!++;
		all[i]!++;
	}
	return { byKey, all };
}

function keyTable(c: Counts, from: string): HTMLElement {
	const total = sum(c.all), { table, body } = makeTable("agg keys-table", [["who"], ["delays", "n"], ["share", "n"], ["", "bar"]]);
	const rows = [...c.byKey].map(([key, x]) => ({ key, n: sum(x) })).filter((v) => v.n >= 0.5).sort((a, b) => b.n - a.n);
	for (const v of rows.slice(0, KEYS))
		addRow(body, from, v.key, numeric(number(v.n)), numeric(percent(v.n / total)), barCell(v.n / rows[0]!.n, keyCss(v.key)));
	if (!rows.length)
		return makeNote("no delay in this range");
	if (rows.length > KEYS)
		table.createCaption().textContent = `${number(rows.length - KEYS)} more with less`;
	return table;
}

function points(v: number): string {
	return (v > 0 ? "+" : "") + (100 * v).toFixed(1);
}

function changeTable(all: ShareChange[], from: string): HTMLElement {
	const { table, body } = makeTable("agg changes", [["what"], ["before", "n"], ["now", "n"], ["points, 95 % interval", "n"]]);
	for (const c of all.slice(0, KEYS))
		addRow(body, from, c.key, numeric(percent(c.before)), numeric(percent(c.now)),
			numeric(`${c.sure ? c.now > c.before ? "▲ " : "▼ " : ""}${points(c.now - c.before)} (${Number.isFinite(c.low) ? `${points(c.low)} to ${points(c.high)}` : "unknown"})`))
			.className = c.sure ? "sure" : "muted";
	if (all.slice(0, KEYS).some((c) => !c.sure))
		table.createCaption().textContent = all.some((c) => c.sure) ? "Grey: may be chance. ▲ more, ▼ less: is not." : "Grey: may be chance.";
	return all.length ? table : makeNote("nothing in either");
}

export function slowTable(s: Source, rows: SlowRow[]): HTMLElement {
	const { table, body } = makeTable("slow", [["how long", "n"], ["who"], ["tracker"], ["why"]]);
	for (const e of rows) {
		const stack = Object.values(e.attributes).find((v) => Array.isArray(v)) as string[] | undefined;
		addRow(body, `${origin(s, e.tracker, "slow")}: ended ${e.ended}` + (stack ? "\n" + stack.join("\n") : ""),
			numeric(amount(e.delay, "ns")), `${e.comm} ${e.tid}`, e.tracker, make("td", reason(e.tracker, e.attributes, false), "why"));
	}
	return table;
}

// -- addresses --

export function putSelection(q: URLSearchParams, s: Source, range: Selection, other: Selection | null, stacks: string): void {
	const at = (ns: number) => wall(s, ns).toFixed(3);
	q.set("of", range.tracker);
	q.set("from", at(range.from));
	q.set("to", at(range.to));
	q.set("low", String(range.low));
	if (Number.isFinite(range.high))
		q.set("high", String(range.high));
	if (other)
		q.set("with", [other.tracker, at(other.from), at(other.to), other.low, Number.isFinite(other.high) ? other.high : ""].join("_"));
	if (stacks)
		q.set("stacks", stacks);
}

function numberOf(v: string | null | undefined, none: number): number {
	const n = v ? Number(v) : NaN;
	return Number.isFinite(n) ? n : none;
}

/** What an address says, as far as it makes sense. */
export function takeSelection(q: URLSearchParams, s: Source): [Selection | null, Selection | null] {
	const at = (v: string | null | undefined) => Math.round((numberOf(v, 0) * 1e6 - s.info.wall_off) / 1e3) * 1e3;
	const make = (of: string, from: string | null | undefined, to: string | null | undefined, low: string | null | undefined, high: string | null | undefined): Selection | null => {
		const r = { tracker: of, from: at(from), to: at(to), low: numberOf(low, 0), high: numberOf(high, Infinity) };
		return r.to > r.from ? r : null;
	};
	const other = (q.get("with") ?? "").split("_"), high = other.pop(), low = other.pop(), to = other.pop(), from = other.pop();
	return [make(q.get("of") ?? "", q.get("from"), q.get("to"), q.get("low"), q.get("high")), from ? make(other.join("_"), from, to, low, high) : null];
}
