// SPDX-License-Identifier: Apache-2.0
// What a run has printed: lines of text and aggregations, of which the last state counts. Knows nothing of the page.
import { AggRow, Line, Value } from "./api.js";
import { History } from "./history.js";
import { lossKey, lossOf, Losses } from "./losses.js";

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

export class Output {
	readonly text: string[] = [];
	forgotten = 0; // lines of text
	private readonly all = new Map<string, Result>(); // by their names
	/** How the distributions of an aggregation came to be, by its name. */
	readonly history = new Map<string, History>();
	/** From the tracer's clock to ms since 1970. */
	wallOffset = 0;
	readonly losses = new Losses();
	ended = false;
	messages = "";
	status: number | undefined;
	events = 0;

	take(line: Line): void {
		if (line.time && !this.wallOffset) this.wallOffset = Date.now() - line.time / 1e6;
		if (line.type === "event") this.takeEvent(line);
		else if ((line.type === "snapshot" || line.type === "printa") && line.aggregations && line.rows)
			this.takeAggs(line, line.time ?? 0);
		else if (line.type === "drop") this.losses.add(lossKey(line), lossOf(line));
		else if (line.type === "error" || line.type === "message") this.push(line.text ?? "");
		else if (line.type === "end") this.status = line.status;
	}

	private takeEvent(line: Line): void {
		this.events++;
		const parts: string[] = [];
		for (const output of line.output ?? []) {
			if (output.action === "printa" && output["rows"]) this.takeAggs(output as unknown as Line, line.time ?? 0);
			else if (output.action === "clear" || (output.action === "trunc" && !output.value))
				this.history.get(String(output["aggregation"]))?.clear();
			else if (output.text !== undefined) parts.push(output.text);
			else if (output.value !== undefined) parts.push(show(output.value) + " ");
		}
		const text = parts.join("");
		if (text) for (const word of text.replace(/\n$/, "").split("\n")) this.push(word);
	}

	private takeAggs(line: Line, time: number): void {
		const names = line.aggregations!.map((aggregation) => aggregation.name),
			id = names.join(),
			had = this.all.get(id);
		this.all.set(id, {
			names,
			funcs: line.aggregations!.map((aggregation) => aggregation.function),
			rows: line.rows!,
			leftOut: line.left_out ?? 0,
			text: line.text ?? had?.text ?? null,
			time: time || (had?.time ?? 0),
		});
		names.forEach((name, k) => {
			let history = this.history.get(name);
			if (!line.rows!.some((row) => Array.isArray(row.values[k])) || !time) return;
			if (!history) this.history.set(name, (history = new History()));
			history.take(time, line.rows!, k, (aggRow) => keyText(aggRow));
		});
	}

	/** What there is; what another one shows as well is left out. */
	get results(): Result[] {
		const all = [...this.all.values()],
			joint = new Set(all.filter((result) => result.names.length > 1).flatMap((result) => result.names));
		return all.filter((result) => result.names.length > 1 || !joint.has(result.names[0]!));
	}

	private push(text: string): void {
		this.text.push(text);
		if (this.text.length > TEXT_LINES) {
			this.text.splice(0, TEXT_LINES / 10);
			this.forgotten += TEXT_LINES / 10;
		}
	}
}

/** What of a run's standard error is no mere notice. */
export function complaints(messages: string | null): string[] {
	return (messages ?? "").split("\n").filter((line) => line && !/ matched \d+ probes?$/.test(line));
}

/** Frames of a stack, leaf first; null: no stack. */
export function stackOf(value: Value): string[] | null {
	const frames = Array.isArray(value)
		? value
		: value && typeof value === "object" && "frames" in value && Array.isArray(value.frames)
			? value.frames
			: null;
	return frames && frames.every((frame) => frame && typeof frame === "object" && "addr" in frame)
		? (frames as { name: string }[]).map((frame) => frame.name)
		: null;
}

/** A key in one line. */
export function keyText(row: AggRow): string {
	return row.key.map(show).join(", ");
}

/** A value as one line of text. */
export function show(value: Value): string {
	if (value === null || typeof value !== "object") return String(value);
	const stack = stackOf(value);
	if (stack) return stack.join(" ← ");
	if ("name" in value && "addr" in value) return String(value.name);
	return JSON.stringify(value);
}
