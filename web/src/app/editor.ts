// SPDX-License-Identifier: Apache-2.0
// A text area for D: line numbers, marks where the compiler found mistakes, completion of probes and words.
import { api, Diagnostic, Probe, Word } from "./api.js";
import { make } from "../dom.js";

const CHECK_MS = 350; // after the last key
const CHOICES = 60;
const NO_MEMBER = "no_member_is_called_so"; // asks the compiler which there are

interface Choice {
	text: string;
	detail: string;
}

export class Editor {
	readonly area = make("textarea");
	private readonly gutter = make("div", "", "gutter");
	private readonly marks = make("div", "", "marks");
	private readonly list = make("ul", "", "choices");
	private readonly problems = make("ol", "", "problems");
	private choices: Choice[] = [];
	private chosen = 0;
	private timer = 0;
	private asked = 0;
	private static words: Promise<Word[]> | null = null;
	found: Diagnostic[] = [];
	onChange: () => void = () => {};
	onRun: () => void = () => {};

	constructor(host: HTMLElement) {
		const box = make("div", "", "editor"), scroll = make("div", "", "sheet");
		this.area.spellcheck = false;
		this.area.autocapitalize = "off";
		this.area.setAttribute("aria-label", "D program");
		this.area.setAttribute("aria-describedby", "problems");
		this.area.wrap = "off";
		this.marks.setAttribute("aria-hidden", "true");
		this.gutter.setAttribute("aria-hidden", "true");
		this.list.hidden = true;
		this.list.setAttribute("role", "listbox");
		this.list.setAttribute("aria-label", "Completions");
		this.list.tabIndex = 0; // it scrolls
		this.list.id = "choices";
		this.problems.id = "problems";
		this.problems.setAttribute("aria-live", "polite");
		scroll.append(this.marks, this.area, this.list);
		box.append(this.gutter, scroll);
		host.append(box, this.problems);
		this.area.addEventListener("input", () => this.changed(true));
		this.area.addEventListener("scroll", () => this.follow());
		this.area.addEventListener("keydown", (e) => this.key(e));
		this.area.addEventListener("blur", () => this.close());
		this.changed(false);
	}

	get text(): string { return this.area.value; }
	set text(t: string) {
		this.area.value = t;
		this.area.scrollTop = 0;
		this.changed(false);
	}

	private changed(typed: boolean): void {
		const lines = this.text.split("\n").length;
		this.gutter.textContent = Array.from({ length: lines }, (_, i) => i + 1).join("\n");
		this.follow();
		this.onChange();
		clearTimeout(this.timer);
		this.timer = window.setTimeout(() => void this.check(), CHECK_MS);
		if (typed && /[\w:]$|->$|\w\.$/.test(this.before()))
			void this.complete(false);
		else
			this.close();
	}

	private follow(): void {
		this.gutter.scrollTop = this.area.scrollTop;
		this.marks.scrollTop = this.area.scrollTop;
		this.marks.scrollLeft = this.area.scrollLeft;
	}

	// -- mistakes --

	private async check(): Promise<void> {
		const text = this.text, n = ++this.asked;
		if (!text.trim()) {
			this.show([]);
			return;
		}
		try {
			const a = await api.check(text);
			if (n === this.asked)
				this.show(a.lines.filter((d) => (d as { type?: string }).type === "diagnostic"));
		} catch {
			if (n === this.asked)
				this.show([]);
		}
	}

	private show(found: Diagnostic[]): void {
		const lines = this.text.split("\n");
		this.found = found;
		this.problems.replaceChildren(...found.map((d) => {
			const li = make("li", "", d.severity);
			if (d.line) {
				const go = make("button", `line ${d.line}`);
				go.type = "button";
				go.addEventListener("click", () => this.goTo(d));
				li.append(go, " ");
			}
			li.append(d.message, d.hint ? make("span", " " + d.hint, "muted") : "");
			return li;
		}));
		this.marks.replaceChildren();
		for (const [i, text] of lines.entries()) {
			const row = make("div"), here = found.filter((d) => d.line === i + 1 && d.column);
			let at = 0;
			for (const d of here.sort((a, b) => a.column! - b.column!)) {
				const from = Math.max(at, d.column! - 1), to = Math.max(from + 1, d.column! - 1 + (d.length ?? 1));
				row.append(text.slice(at, from), make("mark", text.slice(from, to) || " "));
				at = to;
			}
			row.append(text.slice(at) || "\u200b");
			this.marks.append(row);
		}
		this.follow();
	}

	private goTo(d: Diagnostic): void {
		const lines = this.text.split("\n"), at = lines.slice(0, d.line! - 1).join("\n").length + (d.line! > 1 ? 1 : 0) + (d.column ?? 1) - 1;
		this.area.focus();
		this.area.setSelectionRange(at, at + (d.length ?? 0));
	}

	// -- completion --

	private before(): string {
		return this.text.slice(0, this.area.selectionStart);
	}

	/** What is being written, and whether it is a probe: outside of braces. */
	private partial(): { word: string, probe: boolean } {
		const before = this.before(), code = before.replace(/"(\\.|[^"\\])*"?/g, "").replace(/\/\*[^]*?(\*\/|$)/g, "");
		const depth = (code.match(/{/g) ?? []).length - (code.match(/}/g) ?? []).length;
		const probe = depth <= 0;
		return { word: (probe && !this.memberOf() ? /[\w:$*?-]*$/ : /[\w$]*$/).exec(before)![0], probe };
	}

	private async complete(asked: boolean): Promise<void> {
		const { word, probe } = this.partial(), place = this.area.selectionStart, of = this.memberOf();
		if (of) {
			await this.offer(place, word, await this.members(of));
			return;
		}
		if (!asked && word.length < 2) {
			this.close();
			return;
		}
		await this.offer(place, word, probe ? await this.probes(word) : await this.wordsOf(word));
	}

	private async offer(place: number, word: string, choices: Choice[]): Promise<void> {
		if (this.area.selectionStart !== place || document.activeElement !== this.area)
			return;
		this.choices = choices.filter((c) => c.text !== word).slice(0, CHOICES);
		this.chosen = 0;
		this.open();
	}

	/** The program up to the member that is being written, such that it is whole but for the member's name; null: no member. */
	private memberOf(): string | null {
		const before = this.before(), m = /([\w$@`]+(?:\[[^\][]*\]|\([^()]*\)|(?:->|\.)\w+)*)(->|\.)\w*$/.exec(before);
		if (!m || /^\d/.test(m[1]!))
			return null;
		const start = Math.max(before.lastIndexOf(";", m.index), before.lastIndexOf("{", m.index), before.lastIndexOf("}", m.index)) + 1;
		const code = before.replace(/"(\\.|[^"\\])*"?/g, "").replace(/\/\*[^]*?(\*\/|$)/g, ""), depth = (code.match(/{/g) ?? []).length - (code.match(/}/g) ?? []).length;
		if (depth > 0)
			return before.slice(0, start) + ` trace(${m[1]}${m[2]}${NO_MEMBER}); ` + "}".repeat(depth);
		const slash = before.lastIndexOf("/", m.index); // in a predicate
		return slash < 0 ? null : before.slice(0, slash + 1) + `${m[1]}${m[2]}${NO_MEMBER}/ { }`;
	}

	private async members(program: string): Promise<Choice[]> {
		const a = await api.check(program).catch(() => null), d = a?.lines.find((l) => l.message?.includes(NO_MEMBER) && l.choices), written = this.partial().word.replace(/^.*[.>]/, "");
		return (d?.choices ?? []).filter((c) => c.name.startsWith(written)).map((c) => ({ text: c.name, detail: c.type }));
	}

	private async wordsOf(word: string): Promise<Choice[]> {
		Editor.words ??= api.words();
		const words = await Editor.words.catch(() => [] as Word[]);
		return words.filter((w) => w.name.startsWith(word) && w.prototype !== "later")
			.map((w) => ({ text: w.name, detail: w.kind === "variable" ? w.prototype : w.kind + (w.prototype ? " " + w.prototype : "") }));
	}

	/** The next part of a description: providers, then modules …, as far as it is written. */
	private async probes(word: string): Promise<Choice[]> {
		const parts = word.split(":"), at = parts.length - 1;
		if (at > 3)
			return [];
		const asked = [...parts.slice(0, -1), parts[at] + "*", ...Array<string>(3 - at).fill("")].join(":");
		const a = await api.probes(asked).catch(() => null), seen = new Map<string, Choice>();
		for (const p of a?.lines ?? []) {
			const own = [p.provider, p.module, p.function, p.name] as const;
			const text = [...parts.slice(0, -1), own[at]].join(":") + (at < 3 ? ":" : "");
			if (own[at] && !p.unavailable && seen.size < 1000)
				seen.set(text, { text, detail: at === 3 ? this.full(p) : "" });
		}
		return [...seen.values()];
	}

	private full(p: Probe): string {
		return [p.provider, p.module, p.function, p.name].join(":");
	}

	private open(): void {
		const { word } = this.partial(), lines = this.before().split("\n"), last = lines[lines.length - 1]!;
		this.list.replaceChildren(...this.choices.map((c, i) => {
			const li = make("li", c.text);
			li.id = "choice" + i;
			li.setAttribute("role", "option");
			li.setAttribute("aria-selected", String(i === this.chosen));
			if (c.detail)
				li.append(make("span", c.detail, "muted"));
			li.addEventListener("pointerdown", (e) => {
				e.preventDefault();
				this.take(i);
			});
			return li;
		}));
		this.list.hidden = this.choices.length === 0;
		this.list.style.setProperty("--line", String(lines.length));
		this.list.style.setProperty("--column", String(last.length - word.length));
		this.list.style.setProperty("--top", this.area.scrollTop + "px");
		this.area.setAttribute("aria-activedescendant", this.choices.length ? "choice" + this.chosen : "");
	}

	private close(): void {
		this.list.hidden = true;
		this.choices = [];
	}

	private take(i: number): void {
		const c = this.choices[i], { word } = this.partial(), at = this.area.selectionStart;
		if (!c)
			return;
		this.area.setRangeText(c.text, at - word.length, at, "end");
		this.close();
		this.changed(c.text.endsWith(":"));
	}

	private move(by: number): void {
		this.chosen = (this.chosen + by + this.choices.length) % this.choices.length;
		this.open();
		this.list.children[this.chosen]?.scrollIntoView({ block: "nearest" });
	}

	private key(e: KeyboardEvent): void {
		const open = !this.list.hidden;
		if (e.key === "Enter" && (e.ctrlKey || e.metaKey))
			this.onRun();
		else if (e.key === " " && e.ctrlKey)
			void this.complete(true);
		else if (open && e.key === "ArrowDown")
			this.move(1);
		else if (open && e.key === "ArrowUp")
			this.move(-1);
		else if (open && (e.key === "Enter" || e.key === "Tab"))
			this.take(this.chosen);
		else if (open && e.key === "Escape")
			this.close();
		else
			return;
		e.preventDefault();
		e.stopPropagation();
	}
}
