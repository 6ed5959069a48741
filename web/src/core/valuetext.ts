// SPDX-License-Identifier: Apache-2.0
// A value of JavaScript in a line, as the program would write it: from the JSON of `dwell core`, in which what JSON does
// not have is an object with one member, whose name begins with $.

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** Of such a member: what is written in place of it. */
const WRITTEN: Record<string, (value: Json, text: ValueText) => string> = {
	$undefined: () => "undefined",
	$function: (value) => `function ${String(value)}`.trim(),
	$object: (value) => `${String(value) || "object"} {…}`,
	$date: String,
	$regexp: String,
	$error: String,
	$number: String,
	$bigint: (value) => String(value).replace(/n?$/, "n"),
	$symbol: (value) => `Symbol(${String(value)})`,
	$map: (value, text) => `Map {${text.list(value, (pair) => text.pair(pair))}}`,
	$set: (value, text) => `Set {${text.list(value, (item) => text.of(item))}}`,
	$pending: () => "Promise {pending}",
	$fulfilled: (value, text) => `Promise {${text.of(value)}}`,
	$rejected: (value, text) => `Promise {rejected: ${text.of(value)}}`,
	$proxy: (value, text) => `Proxy of ${text.of(value)}`,
	$bound: (value, text) => `bound ${text.of(value)}`,
	$wrapper: (value, text) => `object of ${text.of(value)}`,
	$circular: () => "[itself]",
	$accessor: () => "[accessor]",
	$missing: () => "(not in the core)",
	$damaged: () => "(damaged)",
	$more: (value) => `… ${String(value)} more`,
	$empty: (value) => `${String(value)} empty`,
};

export class ValueText {
	/** max: characters of all. */
	constructor(private readonly max: number) {}

	/** The whole line, cut. */
	line(value: Json): string {
		const text = this.of(value);
		return text.length > this.max ? text.slice(0, this.max - 1) + "…" : text;
	}

	of(value: Json): string {
		if (Array.isArray(value)) return `[${this.list(value, (item) => this.of(item))}]`;
		if (value === null || typeof value !== "object") return JSON.stringify(value);
		const entries = Object.entries(value),
			[name, only] = entries[0] ?? ["", null];
		if (entries.length === 1 && name.startsWith("$")) {
			const written = Object.hasOwn(WRITTEN, name) ? WRITTEN[name] : undefined;
			if (written) return written(only, this);
			if (Array.isArray(only)) return `${name.slice(1)} ${this.of(only)}`;
		}
		return entries.length ? `{ ${entries.map(([key, member]) => this.member(key, member)).join(", ")} }` : "{}";
	}

	list(value: Json, write: (item: Json) => string): string {
		return Array.isArray(value) ? value.map(write).join(", ") : "";
	}

	/** An entry of a Map. */
	pair(value: Json): string {
		return Array.isArray(value) ? `${this.of(value[0] ?? null)} => ${this.of(value[1] ?? null)}` : this.of(value);
	}

	private member(name: string, value: Json): string {
		if (name === "$more") return `… ${String(value)} more`;
		return `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)}: ${this.of(value)}`;
	}
}
