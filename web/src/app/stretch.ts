// SPDX-License-Identifier: Apache-2.0
// Stretches of time of a recording, in addresses and in words.
import { Contents } from "./api.js";
import { number } from "../amount.js";
import { makeLink, makeSelect } from "../element.js";
import { timeText } from "../ticks.js";

const GUARD_NS = 2000; // times of heat maps are exact to less than this

export interface Source {
	id: string;
	info: Contents;
}

/** Names of trackers, and "@name" of aggregations. */
export function histName(histogram: { kind: string; name: string }): string {
	return (histogram.kind === "tracker" ? "" : "@") + histogram.name;
}

/** A choice among all that has distributions. */
export function histChoice(source: Source, label: string, now: string, set: (name: string) => void): HTMLElement {
	return makeSelect(
		label,
		source.info.histograms.map((histogram) => [
			histName(histogram),
			`${histName(histogram)}: ${number(histogram.count)}`,
		]),
		now,
		set,
	);
}

/** The name that was asked for if the recording has it, else the first one. */
export function histWanted(source: Source, name: string | null): string {
	const all = source.info.histograms.map(histName);
	return name !== null && all.includes(name) ? name : (all[0] ?? "");
}

/** Times as a view takes them. */
export function times(source: Source, from: number, to: number): { from: string; to: string } {
	const text = (ns: number) => Math.max(0, ns - source.info.begun - GUARD_NS) + "ns";
	return { from: text(from), to: text(to) };
}

/** ns of the recording's clock. */
export interface Stretch {
	from: number;
	to: number;
}

/** ms since 1970, which mean the same in every run. */
export function wall(source: Source, ns: number): number {
	return (ns + source.info.wall_off) / 1e6;
}

export function stretchText(source: Source, stretch: Stretch): string {
	const a = Math.round(wall(source, stretch.from)),
		b = Math.round(wall(source, stretch.to));
	return `${timeText(a, b - a)} – ${timeText(b, b - a)} UTC`;
}

/** As part of an address. */
export function putStretch(source: Source, stretch: Stretch): string {
	return wall(source, stretch.from).toFixed(3) + "_" + wall(source, stretch.to).toFixed(3);
}

/** What putStretch() made; null: it is none. */
export function takeStretch(source: Source, text: string | null): Stretch | null {
	const [from, to] = (text ?? "")
		.split("_")
		.map((word) => Math.round((Number(word) * 1e6 - source.info.wall_off) / 1e3) * 1e3);
	if (from === undefined || to === undefined) return null;
	return to > from && to > source.info.begun ? { from, to } : null; // NaN is not larger
}

/** As --range takes it. */
export function rangeParam(source: Source, stretch: Stretch): string {
	const text = times(source, stretch.from, stretch.to);
	return `${text.from}-${text.to}`;
}

export function programNames(programs: { name: string }[]): string {
	return programs.map((program) => program.name).join(", ") || "a program";
}

/**
 * Where numbers of a tracker or "@aggregation" come from: which programs have it, and in which table of the recording
 * they are.
 */
export function origin(source: Source, by: string, table: string): string {
	const name = by.replace(/^@/, "").replace(/\W/g, "\\$&"),
		has = new RegExp(by.startsWith("@") ? `@${name}(?!\\w)` : `\\btracker\\s+${name}(?!\\w)`);
	const those = source.info.programs.filter((program) => has.test(program.text));
	const programs = programNames(those.length ? those : source.info.programs);
	return `${by} of ${programs}, table ${table} of recording ${source.id}`;
}

/** A link to another view of the recording. */
export function tabLink(
	source: Source,
	tab: string,
	text: string,
	title: string,
	query: Record<string, string>,
): HTMLElement {
	return makeLink(text, `#recording/${source.id}/${tab}?${new URLSearchParams(query).toString()}`, title, "button");
}

/** Links from a range to its timeline and its distribution, and of two ranges to both distributions. */
export function stretchLinks(source: Source, by: string, stretch: Stretch, other: Stretch | null): HTMLElement[] {
	return [
		tabLink(source, "timeline", "Timeline", "what threads did in this range", { at: putStretch(source, stretch) }),
		tabLink(
			source,
			"hist",
			other ? "Distributions" : "Distribution",
			other ? "both ranges, one over the other" : "how the values of this range are distributed",
			{ by, at: putStretch(source, stretch), ...(other ? { and: putStretch(source, other) } : {}) },
		),
	];
}
