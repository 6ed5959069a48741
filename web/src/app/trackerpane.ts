// SPDX-License-Identifier: Apache-2.0
// The row of one tracker in the live view: its heat map, its numbers, and why there are none.
import { Bucket, Line } from "./api.js";
import { COLUMNS, HeatData, HeatStrip } from "./heatstrip.js";
import { amount, number } from "../amount.js";
import { make, numeric } from "../dom.js";
import { sum } from "../short.js";

export const MINUTE = 60, SECOND = 1e9;
export const NUMBERS = ["at once", "per s", "median", "99 %", "longest"];
const LATELY = 10; // seconds of "at once"

/** 0.02, 3.1, 120 */
function few(v: number): string {
	return v >= 10 ? number(v) : v >= 0.95 ? v.toFixed(1) : v >= 0.005 ? v.toFixed(2) : "0";
}

export class TrackerPane {
	readonly row = make("tr");
	readonly data = new HeatData();
	readonly strip: HeatStrip;
	private readonly numbers = NUMBERS.map(() => numeric(""));
	private readonly why = make("span", "", "lossy");
	private readonly max = new Map<number, number>(); // by second
	private readonly sum = new Map<number, number>();
	/** Stretches in which dwell had taken probes of it off, in seconds: from the one to the other. */
	private gaps: { probe: string, from: number, to: number }[] = [];
	private reasons: { why: string, probe: string }[] = [];

	constructor(readonly name: string, what: string) {
		const head = make("th", name), cell = make("td", "", "heat");
		head.scope = "row";
		head.append(make("span", what, "muted"), this.why);
		this.strip = new HeatStrip(this.data, `${name}, ${what}`);
		cell.append(this.strip.element);
		this.row.append(head, cell, ...this.numbers);
		this.numbers.forEach((n, i) => { n.dataset["label"] = NUMBERS[i]!; });
		this.strip.where = this.origin("hist");
	}

	/** Why there is nothing, or not all. The first reason stands; the others are told where the pointer is. */
	lacks(why: string, probe = ""): void {
		this.reasons.push({ why, probe });
		this.say();
	}

	private say(): void {
		this.why.textContent = this.reasons[0]?.why ?? "";
		this.why.title = this.reasons.map((r) => r.why + "\n").join("");
	}

	/** The first second that is not measured, and none behind it is; Infinity: it is measured. */
	get stopped(): number {
		return Math.min(...this.gaps.filter((g) => g.to === Infinity).map((g) => g.from));
	}

	takeOff(probe: string, second: number, why: string): void {
		this.gaps.push({ probe, from: second, to: Infinity });
		this.lacks(why, probe);
	}

	/** The probe is back, after so many seconds: that of this second may not be whole. */
	putBack(probe: string, second: number, seconds: number): void {
		const open = this.gaps.find((g) => g.probe === probe && g.to === Infinity);
		if (open)
			open.to = second;
		else
			this.gaps.push({ probe, from: Math.floor(second - seconds), to: second });
		this.gaps = this.gaps.filter((g) => g.to > second - 2 * COLUMNS);
		this.reasons = this.reasons.filter((r) => r.probe !== probe);
		this.say();
	}

	/** Was a probe of it off in that second? */
	wasOff(second: number): boolean {
		return this.gaps.some((g) => g.from < second && second <= g.to);
	}

	/** It has begun anew. */
	reset(): void {
		this.reasons = [];
		this.gaps = [];
		this.say();
	}

	origin(table: string): string {
		return `${this.name} of ${this.name}.d, table ${table} of recording live`;
	}

	add(l: Line): void {
		const second = Math.floor(l.time! / SECOND), buckets = l["buckets"] as Bucket[], last = buckets[buckets.length - 1];
		this.data.add(second, buckets);
		this.max.set(second, Math.max(this.max.get(second) ?? 0, l["max"] as number, l["late"] ? last?.from ?? 0 : 0)); // late: the longest was not kept
		this.sum.set(second, (this.sum.get(second) ?? 0) + (l["sum"] as number));
		for (const m of [this.max, this.sum])
			for (const s of m.keys())
				if (s < second - 2 * COLUMNS)
					m.delete(s);
	}

	/** How many there were at once, on average of the last ten seconds: the time that all took, by second (Little's law). */
	atOnce(now: number): string {
		let all = 0;
		for (let s = now - LATELY + 1; s <= now; s++)
			all += this.sum.get(s) ?? 0;
		return this.stopped < Infinity ? "–" : few(all / LATELY / SECOND);
	}

	draw(now: number): void {
		const from = now - MINUTE + 1, max = Math.max(0, ...[...this.max].filter(([s]) => s >= from && s <= now).map(([, v]) => v));
		const time = (v: number) => v ? amount(v, "ns") : "–";
		const quantile = (share: number) => time(Math.min(max, this.data.quantile(from, now, share))); // a row's middle may lie above
		[this.atOnce(now), number(sum(this.data.sum(from, now)) / MINUTE), quantile(0.5), quantile(0.99), time(max)].forEach((t, i) => {
			const cell = this.numbers[i]!, title = `from ${this.origin("hist")}, seconds ${i ? from : now - LATELY + 1} to ${now} since the machine started`;
			cell.textContent = t;
			if (cell.title !== title)
				cell.title = title;
		});
		this.strip.now = now;
		this.strip.draw();
	}
}
