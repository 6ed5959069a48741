// SPDX-License-Identifier: Apache-2.0
// What is shown of a timeline, in which words and numbers, and what is found in it: without canvas and page.
import { amount, number } from "./amount.js";
import { clamp, sum } from "./math.js";
import { timeText } from "./ticks.js";
import { decodeRows, decodeTexts, OPEN, Row, sourceOf, Sums, sumUp, Text, TimelineHead } from "./timelinemodel.js";

/** A row, and an interval of it; item -1: the row alone. */
export interface Pick {
	row: number;
	item: number;
}

/** What a search has found. */
export interface Finding {
	/** By text: what is brought out; null: nothing. */
	hit: Uint8Array | null;
	/** Whether a row stays. */
	shows: (row: number) => boolean;
	/** How much it is, in words. */
	text: string;
}

/** An interval, or a row, in words. */
export interface Description {
	title: string;
	lines: { text: string; muted: boolean }[];
	/** Frames; "": there are none. */
	stack: string;
}

/** What the time of a row went to, the most first. */
export interface Spent {
	kinds: { kind: number; ns: number; part: number }[];
	longest: number; // ns
}

export class TimelineState {
	head: TimelineHead | null = null;
	rows: Row[] = [];
	texts: Text[] = [];
	/** What the intervals were made from, in words. */
	origin = "";

	show(head: TimelineHead, texts: Uint8Array, intervals: Uint8Array): void {
		this.head = head;
		this.texts = decodeTexts(texts);
		this.rows = decodeRows(intervals, head, this.texts);
	}

	/** How much there is, and what is missing. */
	summary(): string {
		const head = this.head!,
			start = new Date(head.begin).toISOString();
		return (
			`${number(this.rows.length)} rows, ${number(head.items)} intervals in ${amount(head.length, "ns")} ` +
			`from ${start.slice(0, 10)} ${timeText(head.begin, 1)} UTC` +
			(head.lead ? ` (${amount(head.lead, "ns")} after the recording began)` : "") +
			(head.lost ? ` · ${number(head.lost)} events lost` : "") +
			(head.leftOut ? ` · ${number(head.leftOut)} intervals left out by the limit` : "") +
			(head.leftOutRows ? ` · ${number(head.leftOutRows)} rows left out by the limit` : "") +
			(head.states || head.processes ? "" : " · only slow waits: the time between them is unknown")
		);
	}

	/** Kinds that there are intervals of; none of processes, which have colours of their own. */
	usedKinds(): number[] {
		const used = new Set<number>();
		for (const row of this.rows) row.kind.forEach((kind) => used.add(kind));
		return this.head!.kinds.map((_, i) => i).filter((i) => used.has(i) && !this.head!.processes);
	}

	/** Threads, causes and functions with this text; "": everything. */
	search(text: string): Finding {
		const what = text.toLowerCase();
		if (!what) return { hit: null, shows: () => true, text: "" };
		const hit = Uint8Array.from(this.texts, (one) =>
				one.words.toLowerCase().includes(what) || one.stack.toLowerCase().includes(what) ? 1 : 0,
			),
			named = this.rows.map((row) => row.label.toLowerCase().includes(what));
		let count = 0,
			ns = 0;
		const has = this.rows.map((row) => {
			const before = count;
			for (let i = 0; i < row.n; i++)
				if (hit[row.text[i]!]) {
					count++;
					ns += row.to[i]! - row.from[i]!;
				}
			return count > before;
		});
		return {
			hit: count ? hit : null,
			shows: (i) => named[i]! || has[i]!,
			text: count
				? `${number(count)} intervals, ${amount(ns, "ns")}`
				: `${number(named.filter(Boolean).length)} rows`,
		};
	}

	/** lines: of a stack, at most. */
	describe(pick: Pick, lines: number): Description {
		const row = this.rows[pick.row]!;
		if (pick.item < 0) {
			const what =
				row.group === "threads" ? `process ${row.pid}, thread ${row.tid}` : `${number(row.n)} intervals`;
			return { title: row.label, lines: [{ text: what, muted: false }], stack: "" };
		}
		return this.describeItem(row, pick.item, lines);
	}

	private describeItem(row: Row, i: number, lines: number): Description {
		const kind = this.head!.kinds[row.kind[i]!]!,
			text = this.texts[row.text[i]!]!,
			by = this.texts[row.by[i]!]!.words,
			frames = text.stack ? text.stack.trimEnd().split("\n") : [],
			out: Description = {
				title: `${kind.text}, ${amount(row.to[i]! - row.from[i]!, "ns")}${row.flags[i]! & OPEN ? " and longer" : ""}`,
				lines: [],
				stack:
					frames.slice(0, lines).join("\n") +
					(frames.length > lines ? `\n… ${frames.length - lines} more` : ""),
			};
		if (text.words) out.lines.push({ text: text.words, muted: false });
		out.lines.push({
			text:
				`${row.label}, ${amount(row.from[i]!, "ns")} after the begin` +
				(row.cpu[i] && kind.name === "running" ? `, CPU ${row.cpu[i]! - 1}` : ""),
			muted: true,
		});
		if (by) out.lines.push({ text: `woken by ${by}`, muted: false });
		out.lines.push({
			text: `from ${sourceOf(row, i, this.head!)}${this.origin ? " of " + this.origin : ""}`,
			muted: true,
		});
		return out;
	}

	/** From and to: ns since the begin. */
	spent(row: number, from: number, to: number): Spent {
		const { spent, longest } = sumUp(this.rows[row]!, this.head!.kinds, from, to),
			all = sum(spent) || 1;
		return {
			kinds: [...spent.keys()]
				.filter((kind) => spent[kind]! > 0)
				.sort((a, b) => spent[b]! - spent[a]!)
				.map((kind) => ({ kind, ns: spent[kind]!, part: spent[kind]! / all })),
			longest,
		};
	}

	/** Of each row, and of which kinds any has some. */
	table(from: number, to: number): { sums: Sums[]; kinds: number[] } {
		const kinds = this.head!.kinds,
			sums = this.rows.map((row) => sumUp(row, kinds, from, to));
		return { sums, kinds: kinds.map((_, k) => k).filter((k) => sums.some((one) => one.spent[k]! > 0)) };
	}

	/** The row that is `by` rows further among the visible ones; null: there is none. */
	rowBeside(visible: readonly number[], picked: Pick | null, by: number): Pick | null {
		const at = picked ? visible.indexOf(picked.row) : -1,
			row = visible[clamp(at + by, 0, visible.length - 1)];
		return row === undefined ? null : { row, item: -1 };
	}

	/** The interval that is `by` further in the row; null: there is none. */
	itemBeside(picked: Pick | null, by: number): Pick | null {
		const row = picked ? this.rows[picked.row]! : null;
		if (!picked || !row || !row.n) return null;
		return { row: picked.row, item: clamp(picked.item < 0 ? 0 : picked.item + by, 0, row.n - 1) };
	}
}
