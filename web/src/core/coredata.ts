// SPDX-License-Identifier: Apache-2.0
// The lines that the page of a core gets (dwell-core(1), JSON), in words and in order.
import { Json } from "./valuetext.js";

export interface CoreStatus {
	pid: number;
	comm: string;
	command: string;
	threads: number;
	core_bytes: number;
}

export interface GroupLine {
	object: string;
	count: number;
	bytes: number;
	constructor: string;
	names: string;
}

export interface ObjectLine {
	address: string;
	constructor: string;
	value: Json;
}

/** The last one of a list that is cut has `more`. */
export interface PropertyLine {
	name?: string;
	address?: string;
	value?: Json;
	more?: number;
}

export interface ReferenceLine {
	kind: string;
	holder?: string;
	constructor?: string;
	name?: string;
	index?: number;
	/** Of a root. */
	address?: string;
}

export interface PathLine {
	path: string;
	root?: string;
	steps: { object: string; what: string; step: string }[];
}

export interface RetainedLine {
	object: string;
	retained: number;
	bytes: number;
	what: string;
}

export interface StringsLine {
	string: string;
	copies: number;
	bytes: number;
	wasted: number;
	text: string;
}

export type GroupOrder = "constructor" | "count" | "bytes";

/** Those whose constructor or properties have the text, in order: numbers downwards. */
export function chooseGroups(groups: readonly GroupLine[], text: string, order: GroupOrder): GroupLine[] {
	const wanted = text.trim().toLowerCase();
	return groups
		.filter((group) => !wanted || `${group.constructor}\n${group.names}`.toLowerCase().includes(wanted))
		.sort((a, b) =>
			order === "constructor"
				? a.constructor.localeCompare(b.constructor) || b.bytes - a.bytes
				: b[order] - a[order] || a.constructor.localeCompare(b.constructor),
		);
}

/** How a holder leads to an object: "Pool.connections", "Array[3]", "Map[2]: value of its Map". */
export function referenceText(line: ReferenceLine): string {
	if (!line.holder) return `the word at ${line.address ?? "?"} outside of V8's heap`;
	const own = line.constructor ?? "",
		step = line.name === undefined ? `[${line.index ?? "?"}]` : `${own ? "." : ""}${line.name}`,
		plain = ["property", "element", "global variable"].includes(line.kind);
	return own + step + (plain ? "" : ` (${line.kind})`);
}
