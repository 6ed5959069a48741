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
	b.addEventListener("click", what);
	return b;
}

/** What an error says. */
export function said(e: unknown): string {
	return e instanceof Error ? e.message : String(e);
}

/** Gives an element a role and a name for those who do not see it, and the focus of the keyboard. */
export function named<T extends HTMLElement>(e: T, role: string, label: string): T {
	e.tabIndex = 0;
	e.setAttribute("role", role);
	e.setAttribute("aria-label", label);
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
	const update = () => buttons.forEach((b, i) => b.setAttribute("aria-pressed", String(on(all[i]![0]))));
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
	help.setAttribute("aria-label", "Help");
	help.append(make("h1", title), ...(text ? [make("p", text)] : []), list, makeButton("Close", "close the help", () => help.close()));
	return help;
}
