// SPDX-License-Identifier: Apache-2.0
// What sets a stretch of time apart from another, or from the rest of its recording: all trackers, and all keys of distributions (processes,
// devices, system calls, whatever the program counted by), with effect and interval, by `dwell latency diff` (doc/compare.md). What is
// not shown has not changed, as far as could be seen; how far that is, is said.
import { api, Params, RecordingInfo } from "./api.js";
import { amount, number } from "../amount.js";
import { addRow, fill, make, makeNote, makeSelect, makeTable, named, numeric, said } from "../dom.js";
import { clamp } from "../short.js";
import { histName, origin, Source } from "./stretch.js";

interface Stat {
	value: number | null; // octaves, as low and high; null: infinite
	low: number | null;
	high: number | null;
	changed: boolean;
}

const QUANTILES = { "p50": "median", "p90": "90 %", "p99": "99 %", "p99.9": "99.9 %" } as const;
type Quantile = keyof typeof QUANTILES;

export interface DiffLine {
	type: "diff";
	source: string;
	kind: "tracker" | "aggregation";
	key: string;
	count_a: number;
	count_b: number;
	changed: boolean;
	rate_changed: boolean;
	not_judged: string | null;
	quantiles: Record<Quantile, [number | null, number | null]>;
	auc: number | null;
	auc_low: number | null;
	auc_high: number | null;
	octaves: Record<Quantile | "rate", Stat | null> & { visible: number | null };
}

interface DiffSum {
	type: "diff-summary";
	seconds_a: number;
	seconds_b: number;
	compared: number;
	judged: number;
	changed: number;
	visible_least: number | null;
	visible_most: number | null;
}

const SECONDS_MIN = 8, ROWS = 20, VISIBLE_MAX = 3.5; // octaves

/** Of octaves: "+95 %", "×12". */
function ratio(octaves: number | null, infinite: string): string {
	if (octaves === null)
		return infinite;
	const r = 2 ** octaves;
	return r >= 10 ? "×" + r.toPrecision(3) : (r >= 1 ? "+" : "−") + Math.abs(100 * (r - 1)).toFixed(0) + " %";
}

function interval(s: Stat): string {
	return `${ratio(s.value, s.low === null ? "all" : "new")} (${ratio(s.low, "−100 %")} to ${ratio(s.high, "∞")})`;
}

/** The quantile that changed most. */
function effect(l: DiffLine): Quantile | null {
	let best: Quantile | null = null;
	for (const q of Object.keys(QUANTILES) as Quantile[]) {
		const s = l.octaves[q], of = best && l.octaves[best];
		if (s?.changed && Math.abs(s.value ?? 0) > Math.abs(of?.value ?? 0))
			best = q;
	}
	return best;
}

/** Where 0 and an interval lie on a line of ±most octaves. */
function mark(s: Stat | null, most: number): HTMLElement {
	const td = make("td", "", "mark"), bar = make("i"), at = make("b"), x = (v: number | null, none: number) => clamp(50 + 50 * (v ?? none) / most, 0, 100);
	td.ariaHidden = "true";
	if (!s)
		return td;
	bar.style.left = x(s.low, -most) + "%";
	bar.style.width = x(s.high, most) - x(s.low, -most) + "%";
	at.style.left = x(s.value, s.low === null ? -most : most) + "%";
	td.append(bar, at);
	return td;
}

function rate(n: number, seconds: number): string {
	const v = n / seconds;
	return v >= 10 || v === 0 ? number(v) : v.toPrecision(2);
}

/** "by_wakeup_ns" of the live view is the tracker's, by process. */
function nameOf(l: DiffLine): string {
	return l.source.replace(/^by_(.+)_ns$/, "$1") || "@";
}

function changeCells(l: DiffLine, unit: string, most: number): HTMLElement[] {
	const q = effect(l), r = l.octaves.rate;
	if (q) {
		const s = l.octaves[q]!, [a, b] = l.quantiles[q], up = (s.value ?? 0) > 0;
		return [make("td", `${up ? "▲" : "▼"} ${QUANTILES[q]} ${amount(a ?? 0, unit)} → ${amount(b ?? 0, unit)}`), numeric(interval(s)), mark(s, most)];
	}
	if (l.changed && l.auc !== null) {
		const p = (v: number | null) => (100 * (v ?? 0)).toFixed(0);
		return [make("td", `${l.auc > 0.5 ? "▲" : "▼"} all of it: one of now is larger in`), numeric(`${p(l.auc)} % (${p(l.auc_low)} to ${p(l.auc_high)} %)`), mark(null, most)];
	}
	return [make("td", l.count_b === 0 ? "▼ gone" : l.count_a === 0 ? "▲ new" : `${(r?.value ?? 0) > 0 ? "▲ more" : "▼ less"} often`), numeric(r ? interval(r) : ""), mark(r, most)];
}

function diffTable(lines: DiffLine[], sum: DiffSum, s: Source): HTMLElement {
	const { table, body } = makeTable("agg", [["what"], ["change"], ["by, 95 % interval", "n"], [""], ["events a second", "n"]]);
	const units = new Map(s.info.histograms.map((h) => [h.name, h.unit])), sizes = lines.map((l) => {
		const q = effect(l), of = q ? l.octaves[q] : l.octaves.rate;
		return Math.max(Math.abs(of?.low ?? 0), Math.abs(of?.high ?? 0));
	}), most = Math.min(4, Math.max(0.5, ...sizes));
	for (const l of lines) {
		const what = make("td", nameOf(l) + " ");
		what.append(make("b", l.key));
		addRow(body, `${number(l.count_a)} and ${number(l.count_b)} events, from ${origin(s, histName({ kind: l.kind, name: l.source }), "hist")}${l.key ? ", key " + l.key : ""}`,
			what, ...changeCells(l, units.get(l.source) ?? "", most), make("td", `${rate(l.count_a, sum.seconds_a)} → ${rate(l.count_b, sum.seconds_b)}`, "n" + (l.rate_changed ? " sure" : "")));
	}
	return table;
}

/** What is known of the rest. */
function sentence(sum: DiffSum, shown: number): string {
	const all: string[] = [], { visible_least: least, visible_most: most } = sum, p = (v: number) => v > VISIBLE_MAX ? "many hundred" : (100 * (2 ** v - 1)).toFixed(0);
	if (sum.seconds_a < SECONDS_MIN || sum.seconds_b < SECONDS_MIN)
		return `Fewer than ${SECONDS_MIN} whole seconds on one side (${sum.seconds_a} and ${sum.seconds_b}): chance cannot be told from change. Choose a longer range.`;
	if (shown < sum.changed)
		all.push(`${number(sum.changed - shown)} more differ by less.`);
	if (least !== null && most !== null)
		all.push(`Nothing ${sum.changed ? "else " : ""}differs: changes below ${p(least) === p(most) ? "" : p(least) + " to "}${p(most)} % would not be seen.`);
	else if (!sum.compared)
		all.push("Neither has any delay to compare.");
	if (sum.judged < sum.compared)
		all.push(`${number(sum.compared - sum.judged)} of ${number(sum.compared)} had too few events for their delays to be compared.`);
	return all.join(" ");
}

export class Apart {
	readonly element = make("section", "", "apart");
	private readonly title = make("h3");
	private readonly box = make("div");
	private readonly note = makeNote("");
	private asked = 0;
	/** What differs, for tests. */
	found: DiffLine[] = [];
	done = false;

	constructor() {
		named(this.box, "group", "What sets it apart"); // it scrolls
		this.note.role = "status";
		this.element.append(this.title, this.box, this.note);
	}

	clear(): void {
		this.asked++;
		this.element.hidden = true;
	}

	/** Says what will be shown. */
	expect(title: string): void {
		this.asked++;
		this.element.hidden = false;
		this.title.textContent = title;
		this.note.textContent = "Comparing…";
		this.box.hidden = true;
		this.found = [];
		this.done = false;
	}

	/** params: of the view diff.json. */
	async show(title: string, s: Source, params: Params): Promise<void> {
		this.expect(title);
		const n = this.asked;
		try {
			const lines = await api.viewLines<DiffLine | DiffSum>(s.id, "diff.json", params);
			if (n !== this.asked)
				return;
			const sum = lines.find((l): l is DiffSum => l.type === "diff-summary");
			this.found = lines.filter((l): l is DiffLine => l.type === "diff" && (l.changed || l.rate_changed));
			if (!sum)
				this.note.textContent = "There is nothing to compare it with: one of the two has no whole second with delays.";
			else
				this.fill(sum, s);
		} catch (e) {
			if (n === this.asked)
				this.note.textContent = "It cannot be compared: " + said(e);
		}
		this.done = true;
	}

	private fill(sum: DiffSum, s: Source): void {
		const shown = this.found.slice(0, ROWS);
		fill(this.box, diffTable(shown, sum, s));
		this.box.hidden = !shown.length;
		this.note.textContent = sentence(sum, shown.length);
	}
}

/** Chooses another recording, and shows what sets this one apart from it. */
export function compareRecordings(s: Source, all: RecordingInfo[]): HTMLElement {
	const box = make("div", "", "apart-with"), others = all.filter((r) => r.id !== s.id), label = make("label", "Compare with "), apart = new Apart();
	if (!others.length)
		return box;
	apart.clear();
	label.append(makeSelect("Compare with", [["", "another recording…"], ...others.map((r) => [r.id, r.name] as const)], "", (id) => {
		if (id)
			void apart.show(`What sets it apart from ${others.find((r) => r.id === id)!.name}`, s, { other: id });
		else
			apart.clear();
	}));
	box.append(label, apart.element);
	return box;
}
