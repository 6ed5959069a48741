// SPDX-License-Identifier: Apache-2.0
// What could be written at a place of a D program: probes outside of braces, types, members, words of the language.
import { api, Probe, TypeName, Word } from "./api.js";

const NO_MEMBER = "no_member_is_called_so"; // asks the compiler which there are
const PROBES = 1000;
const TAGGED = ["struct", "union", "enum"];

export interface Choice {
	text: string;
	detail: string;
}

export interface Offer {
	/** What is written of it already, up to the cursor. */
	word: string;
	choices: Choice[];
}

/** Without what is in strings and comments; null: the end is in one. */
function codeOf(text: string): string | null {
	const code = text.replace(/"(?:\\.|[^"\\\n])*(")?|'(?:\\.|[^'\\\n])'|\/\*[^]*?(?:(\*\/)|$)/g, (m: string, quote: string | undefined, end: string | undefined, at: number) =>
		quote || end || m[0] === "'" || at + m.length < text.length ? " " : "\0");
	return code.endsWith("\0") ? null : code;
}

function depthOf(code: string): number {
	return (code.match(/{/g) ?? []).length - (code.match(/}/g) ?? []).length;
}

export interface TypePlace {
	word: string;
	/** Behind "struct" and the like: names of this kind only. */
	kind: string;
	/** What is written behind a struct's name: a cast is to a pointer. */
	tail: string;
	/** Only a type can stand here. */
	only: boolean;
}

/** Where a type may be written; null: not here. */
export function typePlace(code: string): TypePlace | null {
	const inside = depthOf(code) > 0 || /\/[^/\n]*$/.test(code), tag = /\b(struct|union|enum)\s+(\w*)$/.exec(code);
	const open = /(\b\w+)?\s*\(\s*(?:(?:struct|union|enum)\s+)?(\w*)$/.exec(code), caller = open?.[1] ?? "", tail = open && !caller && inside ? " *" : "";
	const keys = /\btracker\s+\w+\s*\((?:[^()]*,)?\s*(\w*)$/.exec(code) ?? /\btranslator\s+(?:\w+\s*<\s*)?(\w*)$/.exec(code);
	if (tag)
		return { word: tag[2]!, kind: tag[1]!, tail, only: true };
	if (keys)
		return { word: keys[1]!, kind: "", tail: "", only: true };
	if (!open || !inside)
		return null;
	if (caller === "sizeof" || caller === "offsetof")
		return { word: open[2]!, kind: "", tail: "", only: true };
	return caller && !["if", "while", "for", "return"].includes(caller) ? null : { word: open[2]!, kind: "", tail, only: false };
}

/** The program up to the member that is being written, such that it is whole but for the member's name; null: no member. */
export function memberProgram(before: string): string | null {
	const m = /([\w$@`]+(?:\[[^\][]*\]|\([^()]*\)|(?:->|\.)\w+)*)(->|\.)\w*$/.exec(before), code = codeOf(before);
	if (!m || /^\d/.test(m[1]!) || code === null)
		return null;
	const start = Math.max(before.lastIndexOf(";", m.index), before.lastIndexOf("{", m.index), before.lastIndexOf("}", m.index)) + 1, depth = depthOf(code);
	if (depth > 0)
		return before.slice(0, start) + ` trace(${m[1]}${m[2]}${NO_MEMBER}); ` + "}".repeat(depth);
	const slash = before.lastIndexOf("/", m.index); // in a predicate
	return slash < 0 ? null : before.slice(0, slash + 1) + `${m[1]}${m[2]}${NO_MEMBER}/ { }`;
}

async function members(program: string, word: string): Promise<Choice[]> {
	const a = await api.check(program).catch(() => null), d = a?.lines.find((l) => l.message?.includes(NO_MEMBER) && l.choices);
	return (d?.choices ?? []).filter((c) => c.name.startsWith(word)).map((c) => ({ text: c.name, detail: c.type }));
}

let words: Promise<Word[]> | null = null;

async function wordsOf(word: string): Promise<Choice[]> {
	words ??= api.words();
	const all = await words.catch(() => [] as Word[]);
	return all.filter((w) => w.name.startsWith(word) && w.prototype !== "later")
		.map((w) => ({ text: w.name, detail: w.kind === "variable" ? w.prototype : w.kind + (w.prototype ? " " + w.prototype : "") }));
}

/** Types that the program itself defines. */
function ownTypes(text: string, p: TypePlace): Choice[] {
	const all: Choice[] = [];
	for (const m of text.matchAll(/\b(struct|union|enum)\s+(\w+)\s*{|\btypedef\b[^;{}]*?(\w+)\s*;|}\s*(\w+)\s*;/g)) {
		const kind = m[1] ?? "typedef", name = m[2] ?? m[3] ?? m[4]!;
		if (name.startsWith(p.word) && (!p.kind || p.kind === kind))
			all.push({ text: typeText({ name, kind, from: "this program" }, p), detail: "of this program" });
	}
	return all;
}

function typeText(t: TypeName, p: TypePlace): string {
	const tagged = TAGGED.includes(t.kind), pointer = t.kind === "struct" || t.kind === "union" ? p.tail : "";
	return (tagged && !p.kind ? t.kind + " " : "") + t.name + pointer;
}

async function types(text: string, p: TypePlace): Promise<Choice[]> {
	const a = await api.types(p.word, p.kind).catch(() => null), own = ownTypes(text, p), known = new Set(own.map((c) => c.text));
	const others = (a?.types ?? []).map((t) => ({ text: typeText(t, p), detail: [t.from, t.size ? `${t.size} bytes` : ""].filter((v) => v).join(", ") }));
	return [...own, ...others.filter((c) => !known.has(c.text))];
}

function full(p: Probe): string {
	return [p.provider, p.module, p.function, p.name].join(":");
}

/** The next part of a description: providers, then modules …, as far as it is written. */
async function probes(word: string): Promise<Choice[]> {
	const parts = word.split(":"), at = parts.length - 1;
	if (at > 3)
		return [];
	const asked = [...parts.slice(0, -1), parts[at] + "*", ...Array<string>(3 - at).fill("")].join(":");
	const a = await api.probes(asked).catch(() => null), seen = new Map<string, Choice>();
	for (const p of a?.lines ?? []) {
		const own = [p.provider, p.module, p.function, p.name] as const;
		const text = [...parts.slice(0, -1), own[at]].join(":") + (at < 3 ? ":" : "");
		if (own[at] && !p.unavailable && seen.size < PROBES)
			seen.set(text, { text, detail: at === 3 ? full(p) : "" });
	}
	return [...seen.values()];
}

/** What could stand where `before` ends. asked: the user wants to see it, however little is written. */
export async function complete(before: string, asked: boolean): Promise<Offer | null> {
	const code = codeOf(before), least = asked ? 0 : 2;
	if (code === null)
		return null;
	const place = typePlace(code), member = memberProgram(before), inner = /[\w$]*$/.exec(before)![0];
	if (member)
		return { word: inner, choices: await members(member, inner) };
	if (place) {
		if (place.word.length < (place.kind && !asked ? 1 : least))
			return null;
		const [t, w] = await Promise.all([types(before, place), place.only ? [] : wordsOf(place.word)]);
		return { word: place.word, choices: [...w, ...t] };
	}
	const probe = depthOf(code) <= 0, word = probe ? /[\w:$*?-]*$/.exec(before)![0] : inner;
	return word.length < least ? null : { word, choices: await (probe ? probes(word) : wordsOf(word)) };
}
