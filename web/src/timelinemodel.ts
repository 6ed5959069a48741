// SPDX-License-Identifier: Apache-2.0
// Rows of intervals, and what of them each pixel shows.
import { Reader } from "./bytes.js";
import { claimSlots, keySlot } from "./keycolour.js";
import { clamp, firstWhere } from "./math.js";
import { Kind } from "./framecolour.js";

export interface WaitKind extends Kind {
	name: string;
	weight: number; // 0: does not matter … 2: is what one looks for
}

/** See src/view/picture/timeline_html.c. */
export interface TimelineHead {
	title: string;
	begin: number; // ms since 1970
	origin: number; // the same of CLOCK_MONOTONIC, ns
	length: number; // ns
	items: number;
	leftOut: number;
	leftOutRows: number;
	lost: number;
	lead: number; // ns of the recording before the begin, in which nothing was seen yet
	states: boolean;
	processes: boolean;
	kinds: WaitKind[];
	rows: { group: string; label: string; pid: number; tid: number; depth: number }[];
}

export interface Text {
	words: string;
	stack: string;
}

export interface Row {
	group: string;
	label: string;
	pid: number;
	tid: number;
	depth: number;
	n: number;
	from: Float64Array; // ns since the begin
	to: Float64Array;
	kind: Uint8Array;
	flags: Uint8Array;
	cpu: Uint16Array; // plus 1; 0: not known
	text: Uint32Array;
	by: Uint32Array;
	colour: Uint8Array; // of the palette
}

export const OPEN = 1;
const NAMED = new Set(["process life", "span", "request", "thread"]);

/** Whether what is of this kind has colours by its names. */
export function isNamed(kind: string): boolean {
	return NAMED.has(kind);
}

export function decodeTexts(bytes: Uint8Array): Text[] {
	const reader = new Reader(bytes),
		all: Text[] = [];
	for (let count = reader.number(); count > 0; count--) {
		reader.number(); // nothing
		all.push({ words: reader.string(), stack: reader.string() });
	}
	return all;
}

export function decodeRows(bytes: Uint8Array, head: TimelineHead, texts: Text[]): Row[] {
	const reader = new Reader(bytes),
		named = head.kinds.map((kind) => isNamed(kind.name)),
		nkinds = head.kinds.length;
	const names = texts.map((text) => text.words.split(",", 1)[0]!),
		seen = new Set<string>();
	const rows = head.rows.map((row) => {
		const count = reader.number();
		const out: Row = {
			...row,
			n: count,
			from: new Float64Array(count),
			to: new Float64Array(count),
			kind: new Uint8Array(count),
			flags: new Uint8Array(count),
			cpu: new Uint16Array(count),
			text: new Uint32Array(count),
			by: new Uint32Array(count),
			colour: new Uint8Array(count),
		};
		for (let i = 0, at = 0; i < count; i++) {
			at += reader.number();
			out.from[i] = at;
			at += reader.number();
			out.to[i] = at;
			const k = reader.number(),
				kind = Math.min(k >> 3, nkinds - 1);
			out.kind[i] = kind;
			out.flags[i] = k & 7;
			out.cpu[i] = reader.number();
			const text = (out.text[i] = Math.min(reader.number(), texts.length - 1));
			out.by[i] = Math.min(reader.number(), texts.length - 1);
			out.colour[i] = kind;
			if (named[kind]) seen.add(names[text]!);
		}
		return out;
	});
	claimSlots(seen);
	for (const row of rows)
		row.colour.forEach((kind, i) => {
			if (named[kind]) row.colour[i] = nkinds + keySlot(names[row.text[i]!]!);
		});
	return rows;
}

/** The first interval that ends after t. */
export function firstAfter(row: Row, time: number): number {
	return firstWhere(row.n, (i) => row.to[i]! > time);
}

/** The interval at a time, or the nearest within `slack`; -1: none. */
export function itemAt(row: Row, time: number, slack: number): number {
	const i = firstAfter(row, time);
	if (i < row.n && row.from[i]! <= time) return i;
	const after = i < row.n ? row.from[i]! - time : Infinity,
		before = i > 0 ? time - row.to[i - 1]! : Infinity;
	return Math.min(after, before) > slack ? -1 : after < before ? i : i - 1;
}

/** Colours as bytes, with how much each counts in a pixel that several share. */
export interface Palette {
	rgb: Uint8Array; // three bytes each
	weight: Float32Array;
}

/** What is brought out: texts that match a search; null: everything. */
export type Found = Uint8Array | null;
const DIM = 0.12;
const LEAST = 0.4; // how much of a pixel's colour a short interval takes at least

/** Adds up, for each pixel of a row between two times, the colours of what is in it. */
export class Painter {
	private sums = new Float32Array(0);

	/** RGBA of `width` pixels into out at `at`. */
	paint(
		row: Row,
		from: number,
		to: number,
		width: number,
		palette: Palette,
		found: Found,
		out: Uint32Array,
		at: number,
	): void {
		if (this.sums.length < 5 * width) this.sums = new Float32Array(5 * width);
		const sums = this.sums.fill(0, 0, 5 * width),
			scale = width / (to - from),
			{ rgb, weight } = palette;
		for (let i = firstAfter(row, from); i < row.n; i++) {
			let x = (row.from[i]! - from) * scale;
			if (x >= width) break;
			const end = Math.min(width, (row.to[i]! - from) * scale),
				colour = row.colour[i]!;
			const alpha = !found || found[row.text[i]!] ? 1 : DIM,
				share = weight[colour]! * alpha;
			x = x < 0 ? 0 : x;
			const red = rgb[3 * colour]!,
				green = rgb[3 * colour + 1]!,
				blue = rgb[3 * colour + 2]!;
			for (let pixel = Math.floor(x); pixel < end; pixel++) {
				const part = (end < pixel + 1 ? end : pixel + 1) - (x > pixel ? x : pixel),
					value = part * share,
					k = 5 * pixel;
				sums[k]! += red * value;
				sums[k + 1]! += green * value;
				sums[k + 2]! += blue * value;
				sums[k + 3]! += value;
				sums[k + 4]! += part * alpha;
			}
		}
		for (let pixel = 0; pixel < width; pixel++) {
			const k = 5 * pixel,
				weighted = sums[k + 3]!,
				covered = sums[k + 4]!;
			if (!(weighted > 0)) {
				out[at + pixel] = 0;
				continue;
			}
			const alpha = found && covered < LEAST ? covered : clamp(covered, LEAST, 1);
			out[at + pixel] =
				((Math.round(255 * alpha) << 24) |
					(Math.round(sums[k + 2]! / weighted) << 16) |
					(Math.round(sums[k + 1]! / weighted) << 8) |
					Math.round(sums[k]! / weighted)) >>>
				0;
		}
	}
}

/** ns of each kind, and the longest interval of weight 2. */
export interface Sums {
	spent: Float64Array;
	longest: number;
}

/** What a row has between two times. */
export function sumUp(row: Row, kinds: WaitKind[], from: number, to: number): Sums {
	const spent = new Float64Array(kinds.length);
	let longest = 0;
	for (let i = firstAfter(row, from); i < row.n && row.from[i]! < to; i++) {
		const ns = Math.min(to, row.to[i]!) - Math.max(from, row.from[i]!);
		spent[row.kind[i]!]! += ns;
		if (kinds[row.kind[i]!]!.weight === 2) longest = Math.max(longest, ns);
	}
	return { spent, longest };
}

/** Which rows of the recording an interval was made from. */
export function sourceOf(row: Row, item: number, head: TimelineHead): string {
	const ended = Math.round(head.origin + row.to[item]!),
		began = Math.round(head.origin + row.from[item]!),
		kind = head.kinds[row.kind[item]!]!.name;
	switch (row.group) {
		case "threads": {
			const table = `table slow, ${head.states ? "tracker state" : "trackers offcpu and wakeup"}`;
			return kind === "running" || kind === "unseen"
				? `${table}: after what ended ${began}`
				: `${table}, ended ${ended}`;
		}
		case "cpus":
			return `table slow, tracker state: after what ended ${began}`;
		case "requests":
			return `table slow, tracker ${row.label}, ended ${ended}`;
		case "irqs":
			return `table slow, trackers irq and softirq, ended ${ended}`;
		case "spans":
			return `table span, start ${began}`;
		case "processes":
			return `table process, tgid ${row.pid}`;
		default:
			return `table row, ts ${ended}`;
	}
}
