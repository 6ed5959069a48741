// SPDX-License-Identifier: Apache-2.0
// What differs between a stretch of time and another one, or the rest of its recording: of all trackers and all keys of
// distributions, with effect and interval, by `dwell latency diff` (doc/compare.md). What is not shown did not change
// as far as the data can tell. A sentence below the table says how far that is.
import { api, Params, RecordingInfo } from "./api.js";
import { amount, number } from "../amount.js";
import {
	addRow,
	replaceChildren,
	makeElement,
	makeNote,
	makeSelect,
	makeTable,
	makeFocusable,
	numberCell,
	errorMessage,
} from "../element.js";
import { clamp } from "../math.js";
import { histName, origin, Source } from "./stretch.js";

interface Stat {
	value: number | null; // octaves, as low and high; null: infinite
	low: number | null;
	high: number | null;
	changed: boolean;
}

const QUANTILES = { p50: "median", p90: "90 %", p99: "99 %", "p99.9": "99.9 %" } as const;
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

const SECONDS_MIN = 8,
	ROWS = 20,
	VISIBLE_MAX = 3.5; // octaves

/** Of octaves: "+95 %", "×12". */
function ratio(octaves: number | null, infinite: string): string {
	if (octaves === null) return infinite;
	const factor = 2 ** octaves;
	if (factor >= 10) return "×" + factor.toPrecision(3);
	return `${factor >= 1 ? "+" : "−"}${Math.abs(100 * (factor - 1)).toFixed(0)} %`;
}

function interval(stat: Stat): string {
	const value = ratio(stat.value, stat.low === null ? "all" : "new");
	return `${value} (${ratio(stat.low, "−100 %")} to ${ratio(stat.high, "∞")})`;
}

/** The quantile that changed most. */
function effect(line: DiffLine): Quantile | null {
	let best: Quantile | null = null;
	for (const quantile of Object.keys(QUANTILES) as Quantile[]) {
		const stat = line.octaves[quantile],
			of = best && line.octaves[best];
		if (stat?.changed && Math.abs(stat.value ?? 0) > Math.abs(of?.value ?? 0)) best = quantile;
	}
	return best;
}

/** Where 0 and an interval lie on a line of ±most octaves. */
function mark(stat: Stat | null, most: number): HTMLElement {
	const cell = makeElement("td", "", "mark"),
		bar = makeElement("i"),
		at = makeElement("b"),
		x = (value: number | null, none: number) => clamp(50 + (50 * (value ?? none)) / most, 0, 100);
	cell.ariaHidden = "true";
	if (!stat) return cell;
	bar.style.left = x(stat.low, -most) + "%";
	bar.style.width = x(stat.high, most) - x(stat.low, -most) + "%";
	at.style.left = x(stat.value, stat.low === null ? -most : most) + "%";
	cell.append(bar, at);
	return cell;
}

function rate(count: number, seconds: number): string {
	const value = count / seconds;
	return value >= 10 || value === 0 ? number(value) : value.toPrecision(2);
}

/** "by_wakeup_ns" of the live view is the tracker's, by process. */
function nameOf(line: DiffLine): string {
	return line.source.replace(/^by_(.+)_ns$/, "$1") || "@";
}

function changeCells(line: DiffLine, unit: string, most: number): HTMLElement[] {
	const quantile = effect(line),
		rateChange = line.octaves.rate;
	if (quantile) {
		const stat = line.octaves[quantile]!,
			[before, now] = line.quantiles[quantile],
			up = (stat.value ?? 0) > 0;
		return [
			makeElement(
				"td",
				`${up ? "▲" : "▼"} ${QUANTILES[quantile]} ${amount(before ?? 0, unit)} → ${amount(now ?? 0, unit)}`,
			),
			numberCell(interval(stat)),
			mark(stat, most),
		];
	}
	if (line.changed && line.auc !== null) {
		const percent = (value: number | null) => (100 * (value ?? 0)).toFixed(0);
		return [
			makeElement("td", `${line.auc > 0.5 ? "▲" : "▼"} all of it: probability that a delay of now is larger`),
			numberCell(`${percent(line.auc)} % (${percent(line.auc_low)} to ${percent(line.auc_high)} %)`),
			mark(null, most),
		];
	}
	return [
		makeElement(
			"td",
			line.count_b === 0
				? "▼ gone"
				: line.count_a === 0
					? "▲ new"
					: `${(rateChange?.value ?? 0) > 0 ? "▲ more" : "▼ less"} often`,
		),
		numberCell(rateChange ? interval(rateChange) : ""),
		mark(rateChange, most),
	];
}

function diffTable(lines: DiffLine[], sum: DiffSum, source: Source): HTMLElement {
	const { table, body } = makeTable("agg", [
		["what"],
		["change"],
		["by, 95 % interval", "n"],
		[""],
		["events a second", "n"],
	]);
	const units = new Map(source.info.histograms.map((histogram) => [histogram.name, histogram.unit])),
		sizes = lines.map((line) => {
			const quantile = effect(line),
				of = quantile ? line.octaves[quantile] : line.octaves.rate;
			return Math.max(Math.abs(of?.low ?? 0), Math.abs(of?.high ?? 0));
		}),
		most = Math.min(4, Math.max(0.5, ...sizes));
	for (const diff of lines) {
		const what = makeElement("td", nameOf(diff) + " "),
			from = origin(source, histName({ kind: diff.kind, name: diff.source }), "hist"),
			key = diff.key ? `, key ${diff.key}` : "";
		what.append(makeElement("b", diff.key));
		addRow(
			body,
			`${number(diff.count_a)} and ${number(diff.count_b)} events, from ${from}${key}`,
			what,
			...changeCells(diff, units.get(diff.source) ?? "", most),
			makeElement(
				"td",
				`${rate(diff.count_a, sum.seconds_a)} → ${rate(diff.count_b, sum.seconds_b)}`,
				"n" + (diff.rate_changed ? " sure" : ""),
			),
		);
	}
	return table;
}

/** What is known of the rest. */
function sentence(sum: DiffSum, shown: number): string {
	const all: string[] = [],
		{ visible_least: least, visible_most: most } = sum,
		percent = (value: number) => (value > VISIBLE_MAX ? "many hundred" : (100 * (2 ** value - 1)).toFixed(0));
	if (sum.seconds_a < SECONDS_MIN || sum.seconds_b < SECONDS_MIN)
		return (
			`Fewer than ${SECONDS_MIN} whole seconds on one side (${sum.seconds_a} and ${sum.seconds_b}): ` +
			"chance cannot be told from change. Choose a longer range."
		);
	if (shown < sum.changed) all.push(`${number(sum.changed - shown)} more differ by less.`);
	if (least !== null && most !== null) {
		const from = percent(least) === percent(most) ? "" : `${percent(least)} to `,
			visible = `changes below ${from}${percent(most)} % would not be seen.`;
		all.push(`Nothing ${sum.changed ? "else " : ""}differs: ${visible}`);
	} else if (!sum.compared) all.push("Neither has any delay to compare.");
	if (sum.judged < sum.compared)
		all.push(
			`${number(sum.compared - sum.judged)} of ${number(sum.compared)} had too few events to compare delays.`,
		);
	return all.join(" ");
}

export class Comparison {
	readonly element = makeElement("section", "", "apart");
	private readonly title = makeElement("h3");
	private readonly box = makeElement("div");
	private readonly note = makeNote("");
	private asked = 0;
	/** What differs, for tests. */
	found: DiffLine[] = [];
	done = false;

	constructor() {
		makeFocusable(this.box, "group", "What sets it apart"); // it scrolls
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
	async show(title: string, source: Source, params: Params): Promise<void> {
		this.expect(title);
		const count = this.asked;
		try {
			const lines = await api.viewLines<DiffLine | DiffSum>(source.id, "diff.json", params);
			if (count !== this.asked) return;
			const sum = lines.find((line): line is DiffSum => line.type === "diff-summary");
			this.found = lines.filter(
				(diff): diff is DiffLine => diff.type === "diff" && (diff.changed || diff.rate_changed),
			);
			if (!sum)
				this.note.textContent =
					"There is nothing to compare it with: one of the two has no whole second with delays.";
			else this.fill(sum, source);
		} catch (error) {
			if (count === this.asked) this.note.textContent = "It cannot be compared: " + errorMessage(error);
		}
		this.done = true;
	}

	private fill(sum: DiffSum, source: Source): void {
		const shown = this.found.slice(0, ROWS);
		replaceChildren(this.box, diffTable(shown, sum, source));
		this.box.hidden = !shown.length;
		this.note.textContent = sentence(sum, shown.length);
	}
}

/** Chooses another recording, and shows what sets this one apart from it. */
export function compareRecordings(source: Source, all: RecordingInfo[]): HTMLElement {
	const box = makeElement("div", "", "apart-with"),
		others = all.filter((recording) => recording.id !== source.id),
		label = makeElement("label", "Compare with "),
		comparison = new Comparison();
	if (!others.length) return box;
	comparison.clear();
	label.append(
		makeSelect(
			"Compare with",
			[["", "another recording…"], ...others.map((other) => [other.id, other.name] as const)],
			"",
			(id) => {
				if (id)
					void comparison.show(
						`What sets it apart from ${others.find((other) => other.id === id)!.name}`,
						source,
						{
							other: id,
						},
					);
				else comparison.clear();
			},
		),
	);
	box.append(label, comparison.element);
	return box;
}
