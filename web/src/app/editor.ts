// SPDX-License-Identifier: Apache-2.0
// A text area for D: line numbers, marks where the compiler found mistakes, completion of probes and words.
import { api, Diagnostic } from "./api.js";
import { Choice, complete } from "./complete.js";
import { replaceChildren, makeElement, makeButton, listen } from "../element.js";

const CHECK_MS = 350; // after the last key
const CHOICES = 60;

export class Editor {
	readonly area = makeElement("textarea");
	private readonly gutter = makeElement("div", "", "gutter");
	private readonly marks = makeElement("div", "", "marks");
	private readonly list = makeElement("ul", "", "choices");
	private readonly problems = makeElement("ol", "", "problems");
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
		const box = makeElement("div", "", "editor"),
			scroll = makeElement("div", "", "sheet");
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
		listen(this.area, "input", () => this.changed(true));
		listen(this.area, "scroll", () => this.follow());
		listen(this.area, "keydown", (event) => this.key(event));
		listen(this.area, "blur", () => this.close());
		this.changed(false);
	}

	get text(): string {
		return this.area.value;
	}
	set text(word: string) {
		this.area.value = word;
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
		if (!this.before().startsWith(this.front + this.word)) this.close(); // what is offered is for another place
		if (typed && /[\w:]$|->$|\w\.$/.test(this.before())) void this.suggest(false);
		else this.close();
	}

	private follow(): void {
		this.gutter.scrollTop = this.area.scrollTop;
		this.marks.scrollTop = this.area.scrollTop;
		this.marks.scrollLeft = this.area.scrollLeft;
	}

	// -- mistakes --

	private async check(): Promise<void> {
		const text = this.text,
			count = ++this.asked;
		if (!text.trim()) {
			this.show([]);
			return;
		}
		try {
			const answer = await api.check(text);
			if (count === this.asked)
				this.show(answer.lines.filter((diagnostic) => (diagnostic as { type?: string }).type === "diagnostic"));
		} catch {
			if (count === this.asked) this.show([]);
		}
	}

	private show(found: Diagnostic[]): void {
		const lines = this.text.split("\n");
		this.found = found;
		replaceChildren(
			this.problems,
			...found.map((diagnostic) => {
				const item = makeElement("li", "", diagnostic.severity);
				if (diagnostic.line) {
					item.append(
						makeButton(`line ${diagnostic.line}`, "go there", () => this.goTo(diagnostic)),
						" ",
					);
				}
				item.append(
					diagnostic.message,
					diagnostic.hint ? makeElement("span", " " + diagnostic.hint, "muted") : "",
				);
				return item;
			}),
		);
		replaceChildren(this.marks);
		for (const [i, text] of lines.entries()) {
			const row = makeElement("div"),
				here = found.filter((diagnostic) => diagnostic.line === i + 1 && diagnostic.column);
			let at = 0;
			for (const diagnostic of here.sort((a, b) => a.column! - b.column!)) {
				const from = Math.max(at, diagnostic.column! - 1),
					to = Math.max(from + 1, diagnostic.column! - 1 + (diagnostic.length ?? 1));
				row.append(text.slice(at, from), makeElement("mark", text.slice(from, to) || " "));
				at = to;
			}
			row.append(text.slice(at) || "\u200b");
			this.marks.append(row);
		}
		this.follow();
	}

	private goTo(diagnostic: Diagnostic): void {
		const lines = this.text.split("\n"),
			at =
				lines.slice(0, diagnostic.line! - 1).join("\n").length +
				(diagnostic.line! > 1 ? 1 : 0) +
				(diagnostic.column ?? 1) -
				1;
		this.area.focus();
		this.area.setSelectionRange(at, at + (diagnostic.length ?? 0));
	}

	// -- completion --

	private before(): string {
		return this.text.slice(0, this.area.selectionStart);
	}

	private async suggest(asked: boolean): Promise<void> {
		const place = this.area.selectionStart,
			offer = await complete(this.before(), asked);
		if (this.area.selectionStart !== place || document.activeElement !== this.area) return;
		this.word = offer?.word ?? "";
		this.front = this.before().slice(0, place - this.word.length);
		this.choices = (offer?.choices ?? []).filter((choice) => choice.text !== this.word).slice(0, CHOICES);
		this.chosen = 0;
		this.open();
	}

	private open(): void {
		const lines = this.before().split("\n"),
			last = lines[lines.length - 1]!;
		replaceChildren(
			this.list,
			...this.choices.map((choice, i) => {
				const item = makeElement("li", choice.text);
				item.id = "choice" + i;
				item.role = "option";
				item.ariaSelected = String(i === this.chosen);
				if (choice.detail) item.append(makeElement("span", choice.detail, "muted"));
				listen(item, "pointerdown", (event) => {
					event.preventDefault();
					this.take(i);
				});
				return item;
			}),
		);
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
		const choice = this.choices[i],
			at = this.area.selectionStart;
		if (!choice) return;
		this.area.setRangeText(choice.text, this.front.length, at, "end");
		this.close();
		this.changed(choice.text.endsWith(":"));
	}

	private move(by: number): void {
		this.chosen = (this.chosen + by + this.choices.length) % this.choices.length;
		this.open();
		this.list.children[this.chosen]?.scrollIntoView({ block: "nearest" });
	}

	private key(event: KeyboardEvent): void {
		const open = !this.list.hidden;
		if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.onRun();
		else if (event.key === " " && event.ctrlKey) void this.suggest(true);
		else if (open && event.key === "ArrowDown") this.move(1);
		else if (open && event.key === "ArrowUp") this.move(-1);
		else if (open && (event.key === "Enter" || event.key === "Tab")) this.take(this.chosen);
		else if (open && event.key === "Escape") this.close();
		else return;
		event.preventDefault();
		event.stopPropagation();
	}
}
