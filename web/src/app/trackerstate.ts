// SPDX-License-Identifier: Apache-2.0
// What the live view knows of one tracker: delays by second, their sums, and when it was not measured. Knows no page.
import { Bucket, Line } from "./api.js";
import { COLUMNS, HeatData } from "./heatdata.js";
import { amount, number } from "../amount.js";
import { sum } from "../math.js";

export const MINUTE = 60, // seconds
	SECOND = 1e9; // ns
const LATELY = 10, // seconds of "at once"
	KEPT = 2 * COLUMNS; // seconds

/** A stretch in which dwell had detached a probe of the tracker, in seconds; to: Infinity while it is detached. */
interface Gap {
	probe: string;
	from: number;
	to: number;
}

/** 0.02, 3.1, 120 */
function fewDigits(value: number): string {
	if (value >= 10) return number(value);
	if (value >= 0.95) return value.toFixed(1);
	return value >= 0.005 ? value.toFixed(2) : "0";
}

export class TrackerState {
	readonly data = new HeatData();
	private readonly longest = new Map<number, number>(); // ns, by second
	private readonly total = new Map<number, number>(); // ns, by second
	private gaps: Gap[] = [];
	private shortcomings: { why: string; probe: string }[] = [];

	constructor(readonly name: string) {}

	/** Takes a line of type "histogram". */
	add(line: Line): void {
		const second = Math.floor(line.time! / SECOND),
			buckets = line["buckets"] as Bucket[],
			lateLongest = line["late"] ? (buckets.at(-1)?.from ?? 0) : 0; // the longest itself was not kept
		this.data.add(second, buckets);
		this.longest.set(second, Math.max(this.longest.get(second) ?? 0, line["max"] as number, lateLongest));
		this.total.set(second, (this.total.get(second) ?? 0) + (line["sum"] as number));
		for (const bySecond of [this.longest, this.total])
			for (const old of bySecond.keys()) if (old < second - KEPT) bySecond.delete(old);
	}

	/** The tracker starts again. */
	reset(): void {
		this.shortcomings = [];
		this.gaps = [];
	}

	/** Why there is nothing, or not everything. */
	addShortcoming(why: string, probe = ""): void {
		this.shortcomings.push({ why, probe });
	}

	get reasons(): string[] {
		return this.shortcomings.map(({ why }) => why);
	}

	/** The first second since which the tracker is not measured; Infinity: it is measured. */
	get stopped(): number {
		return Math.min(...this.gaps.filter((gap) => gap.to === Infinity).map((gap) => gap.from));
	}

	/** A probe was detached in this second. */
	detach(probe: string, second: number, why: string): void {
		this.gaps.push({ probe, from: second, to: Infinity });
		this.addShortcoming(why, probe);
	}

	/** A probe was attached again, after this number of seconds: this second may not be complete. */
	reattach(probe: string, second: number, seconds: number): void {
		const open = this.gaps.find((gap) => gap.probe === probe && gap.to === Infinity);
		if (open) open.to = second;
		else this.gaps.push({ probe, from: Math.floor(second - seconds), to: second });
		this.gaps = this.gaps.filter((gap) => gap.to > second - KEPT);
		this.shortcomings = this.shortcomings.filter((shortcoming) => shortcoming.probe !== probe);
	}

	/** Whether a probe was detached in a second. */
	wasOff(second: number): boolean {
		return this.gaps.some((gap) => gap.from < second && second <= gap.to);
	}

	/** How many events there were at once, on average of the last ten seconds: their total time (Little's law). */
	atOnce(now: number): string {
		if (this.stopped < Infinity) return "–";
		let total = 0;
		for (let second = now - LATELY + 1; second <= now; second++) total += this.total.get(second) ?? 0;
		return fewDigits(total / LATELY / SECOND);
	}

	/** At once, per second, median, 99 %, longest: of the last minute. */
	numbers(now: number): string[] {
		const from = now - MINUTE + 1,
			recent = [...this.longest].filter(([second]) => second >= from && second <= now),
			longest = Math.max(0, ...recent.map(([, ns]) => ns)),
			time = (ns: number) => (ns ? amount(ns, "ns") : "–"),
			quantile = (share: number) => time(Math.min(longest, this.data.quantile(from, now, share))),
			perSecond = number(sum(this.data.sum(from, now)) / MINUTE);
		return [this.atOnce(now), perSecond, quantile(0.5), quantile(0.99), time(longest)];
	}

	/** From which second on the numbers are, by their index. */
	numbersFrom(index: number, now: number): number {
		return now - (index ? MINUTE : LATELY) + 1;
	}

	/** Where numbers come from: a table of the live recording. */
	origin(table: string): string {
		return `${this.name} of ${this.name}.d, table ${table} of recording live`;
	}
}
