// SPDX-License-Identifier: Apache-2.0
// A text area for D: line numbers, marks where the compiler found mistakes, completion of probes and words.
import { api, Diagnostic } from "./api.js";
import { Choice, complete } from "./complete.js";
import { fill, make, makeButton, on } from "../dom.js";

const CHECK_MS = 350; // after the last key
const CHOICES = 60;

export class Editor {
	readonly area = make("textarea");
	private readonly gutter = make("div", "", "gutter");
	private readonly marks = make("div", "", "marks");
	private readonly list = make("ul", "", "choices");
	private readonly problems = make("ol", "", "problems");
	private choices: Choice[] = [];
	private word = ""; // that they complete, and what is in front of it
	private front = "";
	private chosen = 0;
	private timer = 0;
	private asked = 0;
	found: Diagnostic[] = [];
	onChange: () => void = () => {};
	onRun: () => void = () => {};

	constructor(host: HTMLElement) {
		const box = make("div", "", "editor"), scroll = make("div", "", "sheet");
		this.area.spellcheck = false;
		this.area.autocapitalize = "off";
		this.area.ariaLabel = "D program";
		this.area.setAttribute("aria-describedby", "problems");
		this.area.wrap = "off";
		this.marks.ariaHidden = "true";
		this.gutter.ariaHidden = "true";
		this.list.hidden = true;
		this.list.role = "listbox";
		this.list.ariaLabel = "Completions";
		this.list.tabIndex = 0; // it scrolls
		this.list.id = "choices";
		this.problems.id = "problems";
		this.problems.ariaLive = "polite";
		scroll.append(this.marks, this.area, this.list);
		box.append(this.gutter, scroll);
		host.append(box, this.problems);
		on(this.area, "input", () => this.changed(true));
		on(this.area, "scroll", () => this.follow());
		on(this.area, "keydown", (e) => this.key(e));
		on(this.area, "blur", () => this.close());
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
		if (!this.before().startsWith(this.front + this.word))
			this.close(); // what is offered is for another place
		if (typed && /[\w:]$|->$|\w\.$/.test(this.before()))
			void this.suggest(false);
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
		fill(this.problems, ...found.map((d) => {
			const li = make("li", "", d.severity);
			if (d.line) {
				li.append(makeButton(`line ${d.line}`, "go there", () => this.goTo(d)), " ");
			}
			li.append(d.message, d.hint ? make("span", " " + d.hint, "muted") : "");
			return li;
		}));
		fill(this.marks);
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

	private async suggest(asked: boolean): Promise<void> {
		const place = this.area.selectionStart, offer = await complete(this.before(), asked);
		if (this.area.selectionStart !== place || document.activeElement !== this.area)
			return;
		this.word = offer?.word ?? "";
		this.front = this.before().slice(0, place - this.word.length);
		this.choices = (offer?.choices ?? []).filter((c) => c.text !== this.word).slice(0, CHOICES);
		this.chosen = 0;
		this.open();
	}

	private open(): void {
		const lines = this.before().split("\n"), last = lines[lines.length - 1]!;
		fill(this.list, ...this.choices.map((c, i) => {
			const li = make("li", c.text);
			li.id = "choice" + i;
			li.role = "option";
			li.ariaSelected = String(i === this.chosen);
			if (c.detail)
				li.append(make("span", c.detail, "muted"));
			on(li, "pointerdown", (e) => {
				e.preventDefault();
				this.take(i);
			});
			return li;
		}));
		this.list.hidden = this.choices.length === 0;
		this.list.style.setProperty("--line", String(lines.length));
		this.list.style.setProperty("--column", String(last.length - this.word.length));
		this.list.style.setProperty("--top", this.area.scrollTop + "px");
		this.area.setAttribute("aria-activedescendant", this.choices.length ? "choice" + this.chosen : "");
	}

	private close(): void {
		this.list.hidden = true;
		this.choices = [];
	}

	private take(i: number): void {
		const c = this.choices[i], at = this.area.selectionStart;
		if (!c)
			return;
		this.area.setRangeText(c.text, this.front.length, at, "end");
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
			void this.suggest(true);
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
