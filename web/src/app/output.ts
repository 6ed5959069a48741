// SPDX-License-Identifier: Apache-2.0
// What a run has printed: lines of text and aggregations, of which the last state counts. Knows nothing of the page.
import { AggRow, Line, Value } from "./api.js";

const TEXT_LINES = 5000; // kept; older ones go

export interface Agg {
	name: string;
	func: string;
	rows: AggRow[];
	leftOut: number;
}

export interface Loss {
	tag: string;
	count: number;
	text: string;
}

export class Output {
	readonly text: string[] = [];
	forgotten = 0; // lines of text
	lost = 0; // lines that the server had forgotten before they came here
	readonly aggs = new Map<string, Agg>();
	readonly losses = new Map<string, Loss>();
	ended = false;
	messages = "";
	status: number | undefined;
	events = 0;

	take(l: Line): void {
		if (l.type === "event")
			this.takeEvent(l);
		else if ((l.type === "snapshot" || l.type === "printa") && l.aggregations && l.rows)
			this.takeAggs(l);
		else if (l.type === "drop")
			this.takeLoss(l);
		else if (l.type === "error" || l.type === "message")
			this.push(l.text ?? "");
		else if (l.type === "end")
			this.status = l.status;
	}

	private takeEvent(l: Line): void {
		this.events++;
		const parts: string[] = [];
		for (const o of l.output ?? []) {
			if (o.action === "printa" && o["rows"])
				this.takeAggs(o as unknown as Line);
			else if (o.text !== undefined)
				parts.push(o.text);
			else if (o.value !== undefined)
				parts.push(show(o.value) + " ");
		}
		const text = parts.join("");
		if (text)
			for (const t of text.replace(/\n$/, "").split("\n"))
				this.push(t);
	}

	private takeAggs(l: Line): void {
		l.aggregations!.forEach((a, k) => this.aggs.set(a.name, { name: a.name, func: a.function, leftOut: l.left_out ?? 0,
			rows: l.rows!.filter((r) => r.values[k] !== null).map((r) => ({ key: r.key, values: [r.values[k]!] })) }));
	}

	private takeLoss(l: Line): void {
		const tag = l.tag ?? "", had = this.losses.get(tag)?.count ?? 0;
		this.losses.set(tag, { tag, count: had + (l.count ?? 0), text: l.text ?? tag });
	}

	private push(t: string): void {
		this.text.push(t);
		if (this.text.length > TEXT_LINES) {
			this.text.splice(0, TEXT_LINES / 10);
			this.forgotten += TEXT_LINES / 10;
		}
	}
}

/** Frames of a stack, leaf first; null: no stack. */
export function stackOf(v: Value): string[] | null {
	const frames = Array.isArray(v) ? v : v && typeof v === "object" && "frames" in v && Array.isArray(v.frames) ? v.frames : null;
	return frames && frames.every((f) => f && typeof f === "object" && "addr" in f) ?
		(frames as { name: string }[]).map((f) => f.name) : null;
}

/** A value as one line of text. */
export function show(v: Value): string {
	if (v === null || typeof v !== "object")
		return String(v);
	const stack = stackOf(v);
	if (stack)
		return stack.join(" ← ");
	if ("name" in v && "addr" in v)
		return String(v.name);
	return JSON.stringify(v);
}
