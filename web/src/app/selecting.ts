// SPDX-License-Identifier: Apache-2.0
// What selects a range of the values of an aggregation: a condition beside the statement that adds to it, in its
// clause, so that it has the same variables, whatever they are and wherever they were set.

export interface Chosen {
	/** What is shown: the clauses that it takes. */
	clause: string;
	/** The program with these clauses in their places; null: the clause is to follow it. */
	program: string | null;
}

interface Part {
	from: number;
	to: number;
}

/** An addition to the aggregation: all of the statement, its keys, its function with all arguments, and the value. */
interface Addition extends Part {
	keys: string;
	call: string;
	value: string;
}

/** The same text with blanks for comments, strings and directives: what is left can be searched, at the same places. */
function masked(text: string): string {
	return text.replace(/\/\*[^]*?(?:\*\/|$)|"(?:\\[^]|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|^[ \t]*#.*$/gm, (match) =>
		match.replace(/[^\n]/g, " "),
	);
}

/** The place of the bracket that closes the one at `at`; -1: none does. */
function closing(code: string, at: number): number {
	let depth = 0;
	for (let i = at; i < code.length; i++)
		if ("([{".includes(code[i]!)) depth++;
		else if (")]}".includes(code[i]!) && --depth === 0) return i;
	return -1;
}

/** Cuts from … to at the commas that are not within brackets. */
function list(code: string, text: string, from: number, to: number): string[] {
	const all: string[] = [];
	let begin = from;
	for (let i = from; i < to; i++) {
		const end = "([{".includes(code[i]!) ? closing(code, i) : i;
		if (end < 0) break;
		i = end;
		if (code[i] === ",") {
			all.push(text.slice(begin, i).trim());
			begin = i + 1;
		}
	}
	all.push(text.slice(begin, to).trim());
	return all;
}

function additions(code: string, text: string, name: string, slotted: boolean): Addition[] {
	const all: Addition[] = [],
		start = new RegExp(`@${name}(?!\\w)\\s*`, "g"),
		call = /\s*=\s*(?:quantize|lquantize|llquantize|hist)\s*\(/y;
	for (let match = start.exec(code); match; match = start.exec(code)) {
		const keyed = code[start.lastIndex] === "[" ? closing(code, start.lastIndex) : start.lastIndex - 1;
		call.lastIndex = keyed + 1;
		const open = keyed >= 0 && call.test(code) ? call.lastIndex - 1 : -1,
			close = open < 0 ? -1 : closing(code, open);
		if (close < 0) continue;
		const keys =
			code[start.lastIndex] === "[" ? list(code, text, start.lastIndex + 1, keyed).slice(slotted ? 1 : 0) : [];
		const rest = /\s*;?/y;
		rest.lastIndex = close + 1;
		rest.test(code);
		all.push({
			from: match.index,
			to: rest.lastIndex,
			keys: keys.length ? `[${keys.join(", ")}]` : "",
			call: text.slice(keyed + 1, close + 1).replace(/^\s*=\s*/, ""),
			value: list(code, text, open + 1, close)[0]!,
		});
	}
	return all;
}

/** Clauses and declarations with a body, each from where the one before ends. */
function bodies(code: string): Part[] {
	const all: Part[] = [];
	let from = 0;
	for (let i = 0; i < code.length; i++) {
		const end = code[i] === "{" ? closing(code, i) : -1;
		if (code[i] === "{" && end < 0) break;
		if (end >= 0) {
			all.push({ from: from + code.slice(from).search(/\S/), to: end + 1 });
			i = end;
		}
		if (end >= 0 || code[i] === ";") from = i + 1;
	}
	return all;
}

function condition(value: string, low: number, high: number): string {
	const text = /^\w+(?:(?:->|\.)\w+|\[\w+\])*$/.test(value) ? value : `(${value})`,
		bound = (count: number) => BigInt(Math.ceil(count)).toString();
	return [
		...(low > 0 ? [`${text} >= ${bound(low)}`] : []),
		...(Number.isFinite(high) ? [`${text} < ${bound(high)}`] : []),
	].join(" && ");
}

/**
 * The statement, and after it the one that takes only the range. They are one block where a single statement is needed.
 */
function replacement(addition: Addition, code: string, text: string, low: number, high: number): string {
	const line = text.lastIndexOf("\n", addition.from - 1) + 1,
		indent = /^[ \t]*/.exec(text.slice(line))![0] || "\t",
		is = condition(addition.value, low, high);
	const whole = text.slice(addition.from, addition.to).trimEnd(),
		end = whole.endsWith(";") ? "" : ";",
		add = `@selected${addition.keys} = ${addition.call};`;
	const chosen = is ? `if (${is}) {\n${indent}\t${add}\n${indent}}` : add,
		alone = /[{};]\s*$/.test(code.slice(0, addition.from));
	return alone ? `${whole}${end}\n${indent}${chosen}` : `{ ${whole}${end} ${chosen} }`;
}

/**
 * low <= value < high of @name: null: text does not add to it. slotted: the first of its keys is the time.
 */
export function selecting(text: string, name: string, low: number, high: number, slotted: boolean): Chosen | null {
	const code = masked(text),
		all = additions(code, text, name.replace(/\W/g, "\\$&"), slotted),
		clauses: string[] = [];
	let program = "",
		at = 0;
	for (const part of bodies(code)) {
		const mine = all.filter((addition) => addition.from >= part.from && addition.to <= part.to);
		if (!mine.length) continue;
		let clause = "",
			from = part.from;
		for (const addition of mine) {
			clause += text.slice(from, addition.from) + replacement(addition, code, text, low, high);
			from = addition.to;
		}
		clause += (from > 0 && !/\s/.test(text[from] ?? "") ? " " : "") + text.slice(from, part.to);
		clauses.push(clause);
		program += text.slice(at, part.from) + clause;
		at = part.to;
	}
	return clauses.length ? { clause: clauses.join("\n\n") + "\n", program: program + text.slice(at) } : null;
}
