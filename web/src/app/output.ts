// SPDX-License-Identifier: Apache-2.0
// What a run has printed: lines of text and aggregations, of which the last state counts. Knows nothing of the page.
import { AggRow, Line, Value } from "./api.js";
import { History } from "./history.js";

const TEXT_LINES = 5000; // kept; older ones go

/** An aggregation, or several that one printa() shows together: a value of each in every row. */
export interface Result {
	names: string[];
	funcs: string[];
	rows: AggRow[];
	leftOut: number;
	/** As a printa() with a format has written it; null: none has. */
	text: string | null;
	/** ns of the tracer's clock. */
	time: number;
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
	private readonly all = new Map<string, Result>(); // by their names
	/** How the distributions of an aggregation came to be, by its name. */
	readonly history = new Map<string, History>();
	/** From the tracer's clock to ms since 1970. */
	wallOffset = 0;
	readonly losses = new Map<string, Loss>();
	ended = false;
	messages = "";
	status: number | undefined;
	events = 0;

	take(l: Line): void {
		if (l.time && !this.wallOffset)
			this.wallOffset = Date.now() - l.time / 1e6;
		if (l.type === "event")
			this.takeEvent(l);
		else if ((l.type === "snapshot" || l.type === "printa") && l.aggregations && l.rows)
			this.takeAggs(l, l.time ?? 0);
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
				this.takeAggs(o as unknown as Line, l.time ?? 0);
			else if (o.action === "clear" || (o.action === "trunc" && !o.value))
				this.history.get(String(o["aggregation"]))?.clear();
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

	private takeAggs(l: Line, time: number): void {
		const names = l.aggregations!.map((a) => a.name), id = names.join(), had = this.all.get(id);
		this.all.set(id, { names, funcs: l.aggregations!.map((a) => a.function), rows: l.rows!, leftOut: l.left_out ?? 0, text: l.text ?? had?.text ?? null,
			time: time || (had?.time ?? 0) });
		names.forEach((name, k) => {
			let h = this.history.get(name);
			if (!l.rows!.some((r) => Array.isArray(r.values[k])) || !time)
				return;
			if (!h)
				this.history.set(name, h = new History());
			h.take(time, l.rows!, k, (r) => keyText(r));
		});
	}

	/** What there is; what another one shows as well is left out. */
	get results(): Result[] {
		const all = [...this.all.values()], joint = new Set(all.filter((r) => r.names.length > 1).flatMap((r) => r.names));
		return all.filter((r) => r.names.length > 1 || !joint.has(r.names[0]!));
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

/** What of a run's standard error is no mere notice. */
export function complaints(messages: string | null): string[] {
	return (messages ?? "").split("\n").filter((l) => l && !/ matched \d+ probes?$/.test(l));
}

/** Frames of a stack, leaf first; null: no stack. */
export function stackOf(v: Value): string[] | null {
	const frames = Array.isArray(v) ? v : v && typeof v === "object" && "frames" in v && Array.isArray(v.frames) ? v.frames : null;
	return frames && frames.every((f) => f && typeof f === "object" && "addr" in f) ?
		(frames as { name: string }[]).map((f) => f.name) : null;
}

/** A key in one line. */
export function keyText(r: AggRow): string {
	return r.key.map(show).join(", ");
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
