// SPDX-License-Identifier: Apache-2.0
// Makes elements of the page with attributes and children.

export function makeElement<K extends keyof HTMLElementTagNameMap>(
	tag: K,
	text = "",
	className = "",
): HTMLElementTagNameMap[K] {
	const element = document.createElement(tag);
	element.textContent = text;
	if (className) element.className = className;
	return element;
}

export function makeButton(text: string, title: string, what: () => void): HTMLButtonElement {
	const button = makeElement("button", text);
	button.type = "button";
	button.title = title;
	listen(button, "click", what);
	return button;
}

export function makeLink(text: string, href: string, title = "", className = ""): HTMLAnchorElement {
	const link = makeElement("a", text, className);
	link.href = href;
	link.title = title;
	return link;
}

/** A link that saves what it leads to. */
export function makeSave(text: string, href: string, title = "", className = ""): HTMLAnchorElement {
	const link = makeLink(text, href, title, className);
	link.download = "";
	return link;
}

/** A choice of values; each has the text that is shown. */
export function makeSelect(
	label: string,
	all: readonly (readonly [string, string])[],
	now: string,
	set: (value: string) => void,
): HTMLSelectElement {
	const choose = makeElement("select");
	choose.append(...all.map(([value, text]) => new Option(text, value, false, value === now)));
	choose.ariaLabel = label;
	listen(choose, "change", () => set(choose.value));
	return choose;
}

/** A spot in the colour of what stands beside it. */
export function makeDot(colour: string): HTMLElement {
	const dot = makeElement("i");
	dot.style.background = colour;
	return dot;
}

/** A sentence in place of a picture, or next to it. */
export function makeNote(text: string): HTMLElement {
	return makeElement("p", text, "muted");
}

/** Text as it is, which scrolls. */
export function makePre(text: string, className: string): HTMLPreElement {
	const pre = makeElement("pre", text, className);
	pre.tabIndex = 0;
	return pre;
}

/**
 * A table, and its body. A head is the text of a column, and "n" where it has numbers; a column without a text has no
 * head.
 */
export function makeTable(
	className: string,
	heads: readonly (readonly [string, string?])[],
): { table: HTMLTableElement; body: HTMLTableSectionElement } {
	const table = makeElement("table", "", className);
	table
		.createTHead()
		.insertRow()
		.append(...heads.map(([text, cls]) => makeElement(text ? "th" : "td", text, cls)));
	return { table, body: table.createTBody() };
}

/** A cell with a number. */
export function numberCell(text: string): HTMLElement {
	return makeElement("td", text, "n");
}

/** A row of cells, or of texts; from: where it is from. */
export function addRow(
	body: HTMLTableSectionElement,
	from: string,
	...cells: (HTMLElement | string)[]
): HTMLTableRowElement {
	const row = body.insertRow();
	row.title = from;
	row.append(...cells.map((cell) => (typeof cell === "string" ? makeElement("td", cell) : cell)));
	return row;
}

/** A cell with a bar; share: of its width. */
export function barCell(share: number, colour = ""): HTMLElement {
	const cell = makeElement("td", "", "bar"),
		fill = makeDot(colour);
	fill.style.setProperty("--share", String(share));
	cell.append(fill);
	return cell;
}

/** Gives an element these children. Those that it has are not touched: what is under the pointer stays there. */
export function keepChildren(parent: HTMLElement, children: HTMLElement[]): void {
	const wanted = new Set<Element>(children);
	for (const child of Array.from(parent.children)) if (!wanted.has(child)) child.remove();
	children.forEach((child, i) => {
		if (parent.children[i] !== child) parent.insertBefore(child, parent.children[i] ?? null);
	});
}

/** The message of an error. */
export function errorMessage(element: unknown): string {
	return element instanceof Error ? element.message : String(element);
}

/** Gives an element a role and a name for those who do not see it, and the focus of the keyboard. */
export function makeFocusable<T extends HTMLElement>(element: T, role: string, label: string): T {
	element.tabIndex = 0;
	element.role = role;
	element.ariaLabel = label;
	return element;
}

/** Takes the room that is left in a line. */
export function makeSpacer(): HTMLElement {
	return makeElement("span", "", "grow");
}

/** Puts what the pointer tells beside it, within the window. */
export function placeTip(tip: HTMLElement, x: number, y: number): void {
	const box = tip.getBoundingClientRect();
	tip.style.left = Math.max(4, Math.min(x + 14, innerWidth - box.width - 6)) + "px";
	tip.style.top = (y + 18 + box.height > innerHeight ? Math.max(4, y - box.height - 12) : y + 18) + "px";
}

export function makeSection(title: string, content: HTMLElement): HTMLElement {
	const section = makeElement("section");
	section.append(makeElement("h2", title), content);
	return section;
}

/** Buttons of which one is pressed. */
export interface Group {
	element: HTMLElement;
	/** Presses the right one, after what they choose has changed by other means. */
	update: () => void;
}

/** One button for each value: the value, its text, and what it does. */
export function makeGroup<T>(
	all: readonly (readonly [T, string, string])[],
	isPressed: (value: T) => boolean,
	set: (value: T) => void,
): Group {
	const element = makeElement("span", "", "group"),
		buttons = all.map(([value, text, title]) =>
			makeButton(text, title, () => {
				set(value);
				update();
			}),
		);
	const update = () =>
		buttons.forEach((button, i) => {
			button.ariaPressed = String(isPressed(all[i]![0]));
		});
	element.append(...buttons);
	update();
	return { element, update };
}

/** A dialog that tells keys and what they do; several keys have blanks between them. */
export function makeHelp(title: string, text: string, keys: readonly (readonly [string, string])[]): HTMLDialogElement {
	const help = makeElement("dialog"),
		list = makeElement("dl");
	for (const [key, what] of keys) {
		const dt = makeElement("dt");
		dt.append(makeElement("kbd", key));
		list.append(dt, makeElement("dd", what));
	}
	help.ariaLabel = "Help";
	help.append(
		makeElement("h1", title),
		...(text ? [makeElement("p", text)] : []),
		list,
		makeButton("Close", "close the help", () => help.close()),
	);
	return help;
}

/** Calls what on each event of this type. */
export function listen<K extends keyof HTMLElementEventMap>(
	target: EventTarget,
	type: K | "hashchange",
	what: (element: HTMLElementEventMap[K]) => void,
	options?: AddEventListenerOptions,
): void {
	target.addEventListener(type, what as EventListener, options);
}

/** Puts these in place of what is in the element. */
export function replaceChildren(element: Element, ...all: (Node | string)[]): void {
	element.replaceChildren(...all);
}
