// SPDX-License-Identifier: Apache-2.0
// A range that is chosen in a heat map: a stretch of time and of values; in words, in addresses and in D. Knows no
// page.
import { Params } from "./api.js";
import { Chosen, selecting } from "./selecting.js";
import { histName, Source, stretchText, times, wall } from "./stretch.js";
import { amount } from "../amount.js";

/** Times in ns of the recording's clock. */
export interface Selection {
	tracker: string; // or "@aggregation"
	from: number;
	to: number;
	low: number;
	high: number; // Infinity: no limit
}

/** Trackers for which the live view counts by key; dlib/latency/overview.d does. */
export const LIVE_KEYED: readonly string[] = ["wakeup", "offcpu", "block", "lock", "reclaim"];

/** The aggregation that has keys where the tracker itself has none; else the tracker. */
export function keyedSource(source: Source, tracker: string): string {
	const by = `by_${tracker}_ns`,
		isLive = source.id === "live" && LIVE_KEYED.includes(tracker);
	return isLive || source.info.histograms.some((hist) => hist.name === by) ? `@${by}` : tracker;
}

function unitOf(source: Source, tracker: string): string {
	return source.info.histograms.find((hist) => histName(hist) === tracker)?.unit ?? "";
}

/** The tracker, the times and the values. */
export function describeSelection(source: Source, { tracker, from, to, low, high }: Selection): string {
	const unit = unitOf(source, tracker),
		bound = (value: number) => (Number.isFinite(value) ? amount(value, unit) : "∞");
	return `${tracker} · ${stretchText(source, { from, to })} · ${bound(low)} – ${bound(high)}`;
}

/** Parameters of a view that compares with an earlier range. */
export function beforeParams(source: Source, before: Selection | null): Params {
	if (!before) return {};
	const { from, to } = times(source, before.from, before.to);
	return { before_from: from, before_to: to };
}

/** Parameters of slow.json for the slow events of a range, the longest first. */
export function slowParams(source: Source, range: Selection, longest: number): Params {
	return {
		...times(source, range.from, range.to),
		tracker: range.tracker,
		longest,
		over: `${Math.floor(range.low)}ns`,
		under: Number.isFinite(range.high) ? `${Math.ceil(range.high)}ns` : undefined,
	};
}

/** The clause of D that selects the range; null: no program of the recording adds such values. */
export function clauseOf(source: Source, { tracker, low, high }: Selection): Chosen | null {
	if (tracker.startsWith("@")) {
		const text = source.info.programs.map((program) => program.text).join("\n"),
			slotted = source.info.histograms.some((hist) => histName(hist) === tracker && hist.slot > 0);
		return selecting(text, tracker.slice(1), low, high, slotted);
	}
	const below = Number.isFinite(high) ? ` && args[0]->delay < ${Math.round(high)}` : "",
		predicate = `/args[0]->delay >= ${Math.round(low)}${below}/`;
	return {
		clause: `latency:${tracker}::all\n${predicate}\n{\n\t@[args[0]->comm] = hist(args[0]->delay);\n}\n`,
		program: null,
	};
}

/** Adds a selection, and the one that it is compared with, to an address. */
export function putSelection(
	query: URLSearchParams,
	source: Source,
	range: Selection,
	other: Selection | null,
	stacks: string,
): void {
	const at = (ns: number) => wall(source, ns).toFixed(3),
		high = (value: number) => (Number.isFinite(value) ? String(value) : "");
	query.set("of", range.tracker);
	query.set("from", at(range.from));
	query.set("to", at(range.to));
	query.set("low", String(range.low));
	if (high(range.high)) query.set("high", high(range.high));
	if (other) query.set("with", [other.tracker, at(other.from), at(other.to), other.low, high(other.high)].join("_"));
	if (stacks) query.set("stacks", stacks);
}

type Text = string | null | undefined;

function numberOf(text: Text, otherwise: number): number {
	const value = text ? Number(text) : NaN;
	return Number.isFinite(value) ? value : otherwise;
}

function selectionFrom(source: Source, tracker: string, from: Text, to: Text, low: Text, high: Text): Selection | null {
	const at = (text: Text) => Math.round((numberOf(text, 0) * 1e6 - source.info.wall_off) / 1e3) * 1e3,
		range = { tracker, from: at(from), to: at(to), low: numberOf(low, 0), high: numberOf(high, Infinity) };
	return range.to > range.from ? range : null;
}

/** What an address says, as far as it makes sense: a range, and the one that it is compared with. */
export function takeSelection(query: URLSearchParams, source: Source): [Selection | null, Selection | null] {
	const get = (name: string) => query.get(name),
		range = selectionFrom(source, get("of") ?? "", get("from"), get("to"), get("low"), get("high")),
		parts = (get("with") ?? "").split("_"), // the name of an aggregation may have such a line, too
		[from, to, low, high] = parts.splice(-4);
	return [range, from ? selectionFrom(source, parts.join("_"), from, to, low, high) : null];
}
