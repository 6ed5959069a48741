// SPDX-License-Identifier: Apache-2.0
// Making elements.

export function make<K extends keyof HTMLElementTagNameMap>(tag: K, text = "", className = ""): HTMLElementTagNameMap[K] {
	const e = document.createElement(tag);
	e.textContent = text;
	if (className)
		e.className = className;
	return e;
}

export function makeButton(text: string, title: string, what: () => void): HTMLButtonElement {
	const b = make("button", text);
	b.type = "button";
	b.title = title;
	on(b, "click", what);
	return b;
}

export function makeLink(text: string, href: string, title = "", className = ""): HTMLAnchorElement {
	const a = make("a", text, className);
	a.href = href;
	a.title = title;
	return a;
}

/** A link that saves what it leads to. */
export function makeSave(text: string, href: string, title = "", className = ""): HTMLAnchorElement {
	const a = makeLink(text, href, title, className);
	a.download = "";
	return a;
}

/** A choice of values; each has the text that is shown. */
export function makeSelect(label: string, all: readonly (readonly [string, string])[], now: string, set: (v: string) => void): HTMLSelectElement {
	const choose = make("select");
	choose.append(...all.map(([value, text]) => new Option(text, value, false, value === now)));
	choose.ariaLabel = label;
	on(choose, "change", () => set(choose.value));
	return choose;
}

/** A spot in the colour of what stands beside it. */
export function makeDot(colour: string): HTMLElement {
	const dot = make("i");
	dot.style.background = colour;
	return dot;
}

/** What is said where there is nothing to be seen, or beside it. */
export function makeNote(text: string): HTMLElement {
	return make("p", text, "muted");
}

/** Text as it is, which scrolls. */
export function makePre(text: string, className: string): HTMLPreElement {
	const pre = make("pre", text, className);
	pre.tabIndex = 0;
	return pre;
}

/** A table, and its body. A head is the text of a column, and "n" where it has numbers; a column without a text has no head. */
export function makeTable(className: string, heads: readonly (readonly [string, string?])[]): { table: HTMLTableElement, body: HTMLTableSectionElement } {
	const table = make("table", "", className);
	table.createTHead().insertRow().append(...heads.map(([text, cls]) => make(text ? "th" : "td", text, cls)));
	return { table, body: table.createTBody() };
}

/** A cell with a number. */
export function numeric(text: string): HTMLElement {
	return make("td", text, "n");
}

/** A row of cells, or of texts; from: where it is from. */
export function addRow(body: HTMLTableSectionElement, from: string, ...cells: (HTMLElement | string)[]): HTMLTableRowElement {
	const tr = body.insertRow();
	tr.title = from;
	tr.append(...cells.map((c) => typeof c === "string" ? make("td", c) : c));
	return tr;
}

/** A cell with a bar; share: of its width. */
export function barCell(share: number, colour = ""): HTMLElement {
	const td = make("td", "", "bar"), fill = makeDot(colour);
	fill.style.setProperty("--share", String(share));
	td.append(fill);
	return td;
}

/** Gives an element these children; those that it has already are not touched, so that what the pointer is on stays there. */
export function keepChildren(parent: HTMLElement, children: HTMLElement[]): void {
	const wanted = new Set<Element>(children);
	for (const c of [...parent.children])
		if (!wanted.has(c))
			c.remove();
	children.forEach((c, i) => {
		if (parent.children[i] !== c)
			parent.insertBefore(c, parent.children[i] ?? null);
	});
}

/** What an error says. */
export function said(e: unknown): string {
	return e instanceof Error ? e.message : String(e);
}

/** Gives an element a role and a name for those who do not see it, and the focus of the keyboard. */
export function named<T extends HTMLElement>(e: T, role: string, label: string): T {
	e.tabIndex = 0;
	e.role = role;
	e.ariaLabel = label;
	return e;
}

/** Takes the room that is left in a line. */
export function grow(): HTMLElement {
	return make("span", "", "grow");
}

/** Puts what the pointer tells beside it, within the window. */
export function placeTip(tip: HTMLElement, x: number, y: number): void {
	const box = tip.getBoundingClientRect();
	tip.style.left = Math.max(4, Math.min(x + 14, innerWidth - box.width - 6)) + "px";
	tip.style.top = (y + 18 + box.height > innerHeight ? Math.max(4, y - box.height - 12) : y + 18) + "px";
}

export function makeSection(title: string, content: HTMLElement): HTMLElement {
	const s = make("section");
	s.append(make("h2", title), content);
	return s;
}

/** Buttons of which one is pressed. */
export interface Group {
	element: HTMLElement;
	/** Presses the right one, after what they choose has changed by other means. */
	update: () => void;
}

/** One button for each value: the value, its text, and what it does. */
export function makeGroup<T>(all: readonly (readonly [T, string, string])[], on: (v: T) => boolean, set: (v: T) => void): Group {
	const element = make("span", "", "group"), buttons = all.map(([v, text, title]) => makeButton(text, title, () => {
		set(v);
		update();
	}));
	const update = () => buttons.forEach((b, i) => { b.ariaPressed = String(on(all[i]![0])); });
	element.append(...buttons);
	update();
	return { element, update };
}

/** A dialog that tells keys and what they do; several keys have blanks between them. */
export function makeHelp(title: string, text: string, keys: readonly (readonly [string, string])[]): HTMLDialogElement {
	const help = make("dialog"), list = make("dl");
	for (const [k, what] of keys) {
		const dt = make("dt");
		dt.append(make("kbd", k));
		list.append(dt, make("dd", what));
	}
	help.ariaLabel = "Help";
	help.append(make("h1", title), ...(text ? [make("p", text)] : []), list, makeButton("Close", "close the help", () => help.close()));
	return help;
}

/** Calls what on each event of this type. */
export function on<K extends keyof HTMLElementEventMap>(target: EventTarget, type: K | "hashchange", what: (e: HTMLElementEventMap[K]) => void, options?: AddEventListenerOptions): void {
	target.addEventListener(type, what as EventListener, options);
}

/** Puts these in place of what is in the element. */
export function fill(e: Element, ...all: (Node | string)[]): void {
	e.replaceChildren(...all);
}
