// SPDX-License-Identifier: Apache-2.0
// Stretches of time of a recording, in addresses and in words.
import { Contents } from "./api.js";
import { number } from "../amount.js";
import { makeLink, makeSelect } from "../dom.js";
import { timeText } from "../heat.js";

const GUARD_NS = 2000; // times of heat maps are exact to less than this

export interface Source {
	id: string;
	info: Contents;
}

/** Names of trackers, and "@name" of aggregations. */
export function histName(h: { kind: string, name: string }): string {
	return (h.kind === "tracker" ? "" : "@") + h.name;
}

/** A choice among all that has distributions. */
export function histChoice(s: Source, label: string, now: string, set: (name: string) => void): HTMLElement {
	return makeSelect(label, s.info.histograms.map((h) => [histName(h), `${histName(h)}: ${number(h.count)}`]), now, set);
}

/** What is shown first: what was asked for, if there is such a one. */
export function histWanted(s: Source, name: string | null): string {
	const all = s.info.histograms.map(histName);
	return name !== null && all.includes(name) ? name : all[0] ?? "";
}

/** Times as a view takes them. */
export function times(s: Source, from: number, to: number): { from: string, to: string } {
	const t = (ns: number) => Math.max(0, ns - s.info.begun - GUARD_NS) + "ns";
	return { from: t(from), to: t(to) };
}

/** ns of the recording's clock. */
export interface Stretch {
	from: number;
	to: number;
}

/** ms since 1970, which mean the same in every run. */
export function wall(s: Source, ns: number): number {
	return (ns + s.info.wall_off) / 1e6;
}

export function stretchText(s: Source, r: Stretch): string {
	const a = wall(s, r.from), b = wall(s, r.to);
	return `${timeText(a, b - a)} – ${timeText(b, b - a)} UTC`;
}

/** As part of an address. */
export function putStretch(s: Source, r: Stretch): string {
	return wall(s, r.from).toFixed(3) + "_" + wall(s, r.to).toFixed(3);
}

/** What putStretch() made; null: it is none. */
export function takeStretch(s: Source, text: string | null): Stretch | null {
	const [from, to] = (text ?? "").split("_").map((t) => Math.round((Number(t) * 1e6 - s.info.wall_off) / 1e3) * 1e3);
	return from !== undefined && to !== undefined && to > from && to > s.info.begun ? { from, to } : null; // NaN is not larger
}

/** As --range takes it. */
export function rangeParam(s: Source, r: Stretch): string {
	const t = times(s, r.from, r.to);
	return `${t.from}-${t.to}`;
}

export function programNames(programs: { name: string }[]): string {
	return programs.map((p) => p.name).join(", ") || "a program";
}

/** Where numbers of a tracker or "@aggregation" come from: which programs have it, and in which table of the recording they are. */
export function origin(s: Source, by: string, table: string): string {
	const name = by.replace(/^@/, "").replace(/\W/g, "\\$&"), has = new RegExp(by.startsWith("@") ? `@${name}(?!\\w)` : `\\btracker\\s+${name}(?!\\w)`);
	const those = s.info.programs.filter((p) => has.test(p.text));
	return `${by} of ${programNames(those.length ? those : s.info.programs)}, table ${table} of recording ${s.id}`;
}

/** A link to another view of the recording. */
export function tabLink(s: Source, tab: string, text: string, title: string, q: Record<string, string>): HTMLElement {
	return makeLink(text, `#recording/${s.id}/${tab}?${new URLSearchParams(q).toString()}`, title, "button");
}

/** Links from a range to its timeline and its distribution, and of two ranges to both distributions. */
export function stretchLinks(s: Source, by: string, r: Stretch, other: Stretch | null): HTMLElement[] {
	return [tabLink(s, "timeline", "Timeline", "what threads did in this range", { at: putStretch(s, r) }),
		tabLink(s, "hist", other ? "Distributions" : "Distribution", other ? "both ranges, one over the other" : "how the values of this range are distributed",
			{ by, at: putStretch(s, r), ...other ? { and: putStretch(s, other) } : {} })];
}
