// SPDX-License-Identifier: Apache-2.0
// What the page of a fleet knows: the percentiles of hosts by time, and the counts of all of them. Draws nothing.
import { clamp } from "../math.js";

/** Lines that the server answers with (src/fleet/ask/page.c). */
export interface GridLine {
	type: "grid" | "row" | "cells";
	from?: number;
	step?: number;
	columns?: number;
	host?: string;
	p?: number[];
	column?: number;
	buckets?: number[];
	counts?: number[];
}

export interface Outlier {
	host: string;
	tracker: string;
	quantile: number;
	value: number;
	peers: number;
	ratio: number;
	since: number;
	key: string;
	cause: string;
	sentence: string;
}

/** The lower bound of a bucket of hist(), in ns: from 64 on each power of two is divided into 32. */
export function bucketBound(bucket: number): number {
	if (bucket <= 64) return Math.max(0, bucket - 1);
	const above = bucket - 65;
	return 2 ** (6 + Math.floor(above / 32)) * (1 + (above % 32) / 32);
}

/** The time of day of seconds since 1970. */
export function clockText(seconds: number, withDay: boolean): string {
	const date = new Date(seconds * 1000),
		two = (value: number) => String(value).padStart(2, "0"),
		day = withDay ? `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ` : "";
	return `${day}${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

export const NOTHING = -1;

/** A window of time over all hosts; it slides. */
export class GridModel {
	readonly hosts = new Map<string, Int16Array>();
	/** Counts by bucket, of each column. */
	cells: Map<number, number>[] = [];
	/** Counts the changes: who draws compares. */
	version = 0;

	/** from: seconds since 1970 of the first column; step: seconds of a column. */
	constructor(
		public from: number,
		readonly step: number,
		readonly columns: number,
	) {
		this.cells = Array.from({ length: columns }, () => new Map<number, number>());
	}

	get to(): number {
		return this.from + this.columns * this.step;
	}

	/** Moves the window so that it ends at `to` or later. */
	slide(to: number): void {
		const by = Math.ceil((to - this.to) / this.step);
		if (by <= 0) return;
		this.from += by * this.step;
		const keep = Math.max(0, this.columns - by);
		for (const row of this.hosts.values()) {
			row.copyWithin(0, by);
			row.fill(NOTHING, keep);
		}
		this.cells = this.cells.slice(by);
		while (this.cells.length < this.columns) this.cells.push(new Map());
		this.version++;
	}

	/** Takes an answer; what it has replaces what is there. */
	merge(lines: readonly GridLine[]): void {
		let offset = 0,
			columns = 0;
		for (const line of lines) {
			if (line.type === "grid") {
				offset = Math.round((line.from! - this.from) / this.step);
				columns = line.columns!;
				for (let column = 0; column < columns; column++) this.cells[column + offset]?.clear();
			} else if (line.type === "row") {
				this.mergeRow(line.host!, line.p!, offset);
			} else {
				const cell = this.cells[line.column! + offset];
				line.buckets!.forEach((bucket, i) => cell?.set(bucket, line.counts![i]!));
			}
		}
		this.version++;
	}

	private mergeRow(host: string, values: readonly number[], offset: number): void {
		let row = this.hosts.get(host);
		if (!row) this.hosts.set(host, (row = new Int16Array(this.columns).fill(NOTHING)));
		values.forEach((value, i) => {
			const column = i + offset;
			if (value >= 0 && column >= 0 && column < this.columns) row[column] = value;
		});
	}

	/** The median of what a host has in the window; NOTHING: nothing. */
	middle(host: string): number {
		const values = this.hosts.get(host)?.filter((value) => value >= 0) ?? [];
		return values.length ? values.sort()[values.length >> 1]! : NOTHING;
	}

	/** Hosts: those of `first` in front, the others slow ones first. */
	order(first: readonly string[]): string[] {
		const middle = new Map(Array.from(this.hosts.keys(), (host) => [host, this.middle(host)] as const)),
			rank = new Map(first.map((host, i) => [host, i]));
		return Array.from(this.hosts.keys()).sort((a, b) => {
			const [x, y] = [rank.get(a) ?? first.length, rank.get(b) ?? first.length];
			return x - y || middle.get(b)! - middle.get(a)! || (a < b ? -1 : 1);
		});
	}

	/** The smallest and the largest bucket of all rows. */
	extent(): [number, number] {
		let low = Infinity,
			high = -Infinity;
		for (const row of this.hosts.values())
			for (const value of row)
				if (value >= 0) {
					low = Math.min(low, value);
					high = Math.max(high, value);
				}
		return high >= low ? [low, Math.max(high, low + 1)] : [0, 1];
	}

	/** The column of a time, within the window. */
	columnOf(time: number): number {
		return clamp(Math.floor((time - this.from) / this.step), 0, this.columns - 1);
	}
}

/** What is looked at: also the part of the address after "#". */
export interface Look {
	tracker: string;
	quantile: number; // of 10,000
	range: number; // s, when live
	from: number; // s since 1970; 0: live
	to: number;
	hosts: string;
	except: string;
	host: string; // whose details are shown; "": none
}

export const RANGES: readonly (readonly [number, string])[] = [
	[300, "5 min"],
	[1800, "30 min"],
	[6 * 3600, "6 h"],
	[24 * 3600, "24 h"],
];
export const QUANTILES: readonly (readonly [number, string])[] = [
	[5000, "p50"],
	[9000, "p90"],
	[9900, "p99"],
	[9990, "p99.9"],
];

export function readLook(hash: string): Look {
	const has = new URLSearchParams(hash.replace(/^#/, "")),
		number = (key: string, otherwise: number) => {
			const value = Number(has.get(key) ?? otherwise);
			return Number.isFinite(value) && value >= 0 ? Math.floor(value) : otherwise;
		},
		text = (key: string) => has.get(key) ?? "";
	const from = number("from", 0),
		to = number("to", 0);
	return {
		tracker: text("tracker"),
		quantile: clamp(number("quantile", 9900), 1, 9999),
		range: clamp(number("range", 300), 60, 400 * 86400),
		from: to > from ? from : 0,
		to: to > from ? to : 0,
		hosts: text("hosts"),
		except: text("except"),
		host: text("host"),
	};
}

export function writeLook(look: Look): string {
	const hash = new URLSearchParams();
	for (const [key, value] of Object.entries(look)) if (value !== "" && value !== 0) hash.set(key, String(value));
	return "#" + hash.toString();
}

/** Seconds of a column: so that a window has some 300 of them, and whole slots of the store. */
export function stepOf(range: number): number {
	const slot = range <= 1800 ? 1 : range <= 21660 ? 60 : range <= 129600 ? 600 : 3600;
	return Math.max(slot, Math.ceil(range / 300 / slot) * slot);
}

/** A list with a name more. */
export function withName(list: string, name: string): string {
	const names = list.split(",").filter((part) => part);
	if (!names.includes(name)) names.push(name);
	return names.join(",");
}
