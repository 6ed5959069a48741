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
	const code = text.replace(
		/"(?:\\.|[^"\\\n])*(")?|'(?:\\.|[^'\\\n])'|\/\*[^]*?(?:(\*\/)|$)/g,
		(match: string, quote: string | undefined, end: string | undefined, at: number) =>
			quote || end || match[0] === "'" || at + match.length < text.length ? " " : "\0",
	);
	return code.endsWith("\0") ? null : code;
}

function depthOf(code: string): number {
	return (code.match(/{/g) ?? []).length - (code.match(/}/g) ?? []).length;
}

export interface TypePlace {
	word: string;
	/** After "struct", "union" or "enum": only names of this kind. */
	kind: string;
	/** What follows the name of a struct: a cast is to a pointer. */
	tail: string;
	/** Only a type can stand here. */
	only: boolean;
}

/** Where a type may be written; null: not here. */
export function typePlace(code: string): TypePlace | null {
	const inside = depthOf(code) > 0 || /\/[^/\n]*$/.test(code),
		tag = /\b(struct|union|enum)\s+(\w*)$/.exec(code);
	const open = /(\b\w+)?\s*\(\s*(?:(?:struct|union|enum)\s+)?(\w*)$/.exec(code),
		caller = open?.[1] ?? "",
		tail = open && !caller && inside ? " *" : "";
	const keys =
		/\btracker\s+\w+\s*\((?:[^()]*,)?\s*(\w*)$/.exec(code) ?? /\btranslator\s+(?:\w+\s*<\s*)?(\w*)$/.exec(code);
	if (tag) return { word: tag[2]!, kind: tag[1]!, tail, only: true };
	if (keys) return { word: keys[1]!, kind: "", tail: "", only: true };
	if (!open || !inside) return null;
	if (caller === "sizeof" || caller === "offsetof") return { word: open[2]!, kind: "", tail: "", only: true };
	return caller && !["if", "while", "for", "return"].includes(caller)
		? null
		: { word: open[2]!, kind: "", tail, only: false };
}

/**
 * The program up to the member that is being written, such that it is whole but for the member's name; null: no member.
 */
export function memberProgram(before: string): string | null {
	const match = /([\w$@`]+(?:\[[^\][]*\]|\([^()]*\)|(?:->|\.)\w+)*)(->|\.)\w*$/.exec(before),
		code = codeOf(before);
	if (!match || /^\d/.test(match[1]!) || code === null) return null;
	const start =
			Math.max(
				before.lastIndexOf(";", match.index),
				before.lastIndexOf("{", match.index),
				before.lastIndexOf("}", match.index),
			) + 1,
		depth = depthOf(code);
	if (depth > 0) return before.slice(0, start) + ` trace(${match[1]}${match[2]}${NO_MEMBER}); ` + "}".repeat(depth);
	const slash = before.lastIndexOf("/", match.index); // in a predicate
	return slash < 0 ? null : before.slice(0, slash + 1) + `${match[1]}${match[2]}${NO_MEMBER}/ { }`;
}

async function members(program: string, word: string): Promise<Choice[]> {
	const answer = await api.check(program).catch(() => null),
		diagnostic = answer?.lines.find((line) => line.message?.includes(NO_MEMBER) && line.choices);
	return (diagnostic?.choices ?? [])
		.filter((member) => member.name.startsWith(word))
		.map((member) => ({ text: member.name, detail: member.type }));
}

let words: Promise<Word[]> | null = null;

async function wordsOf(word: string): Promise<Choice[]> {
	words ??= api.words();
	const all = await words.catch(() => [] as Word[]);
	return all
		.filter((known) => known.name.startsWith(word) && known.prototype !== "later")
		.map(({ name, kind, prototype }) => ({
			text: name,
			detail: kind === "variable" ? prototype : kind + (prototype ? " " + prototype : ""),
		}));
}

/** Types that the program itself defines. */
function ownTypes(text: string, place: TypePlace): Choice[] {
	const all: Choice[] = [];
	for (const match of text.matchAll(
		/\b(struct|union|enum)\s+(\w+)\s*{|\btypedef\b[^;{}]*?(\w+)\s*;|}\s*(\w+)\s*;/g,
	)) {
		const kind = match[1] ?? "typedef",
			name = match[2] ?? match[3] ?? match[4]!;
		if (name.startsWith(place.word) && (!place.kind || place.kind === kind))
			all.push({ text: typeText({ name, kind, from: "this program" }, place), detail: "of this program" });
	}
	return all;
}

function typeText(type: TypeName, place: TypePlace): string {
	const tagged = TAGGED.includes(type.kind),
		pointer = type.kind === "struct" || type.kind === "union" ? place.tail : "";
	return (tagged && !place.kind ? type.kind + " " : "") + type.name + pointer;
}

async function types(text: string, place: TypePlace): Promise<Choice[]> {
	const answer = await api.types(place.word, place.kind).catch(() => null),
		own = ownTypes(text, place),
		known = new Set(own.map((choice) => choice.text));
	const others = (answer?.types ?? []).map((type) => ({
		text: typeText(type, place),
		detail: [type.from, type.size ? `${type.size} bytes` : ""].filter((value) => value).join(", "),
	}));
	return [...own, ...others.filter((choice) => !known.has(choice.text))];
}

function full(probe: Probe): string {
	return [probe.provider, probe.module, probe.function, probe.name].join(":");
}

/** The next part of a description: providers, then modules …, as far as it is written. */
async function probes(word: string): Promise<Choice[]> {
	const parts = word.split(":"),
		at = parts.length - 1;
	if (at > 3) return [];
	const asked = [...parts.slice(0, -1), parts[at] + "*", ...Array<string>(3 - at).fill("")].join(":");
	const answer = await api.probes(asked).catch(() => null),
		seen = new Map<string, Choice>();
	for (const probe of answer?.lines ?? []) {
		const own = [probe.provider, probe.module, probe.function, probe.name] as const;
		const text = [...parts.slice(0, -1), own[at]].join(":") + (at < 3 ? ":" : "");
		if (own[at] && !probe.unavailable && seen.size < PROBES)
			seen.set(text, { text, detail: at === 3 ? full(probe) : "" });
	}
	return [...seen.values()];
}

/** What could stand where `before` ends. asked: the user wants to see it, however little is written. */
export async function complete(before: string, asked: boolean): Promise<Offer | null> {
	const code = codeOf(before),
		least = asked ? 0 : 2;
	if (code === null) return null;
	const place = typePlace(code),
		member = memberProgram(before),
		inner = /[\w$]*$/.exec(before)![0];
	if (member) return { word: inner, choices: await members(member, inner) };
	if (place) {
		if (place.word.length < (place.kind && !asked ? 1 : least)) return null;
		const [typeChoices, wordChoices] = await Promise.all([
			types(before, place),
			place.only ? [] : wordsOf(place.word),
		]);
		return { word: place.word, choices: [...wordChoices, ...typeChoices] };
	}
	const probe = depthOf(code) <= 0,
		word = probe ? /[\w:$*?-]*$/.exec(before)![0] : inner;
	return word.length < least ? null : { word, choices: await (probe ? probes(word) : wordsOf(word)) };
}
