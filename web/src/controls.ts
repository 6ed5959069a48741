// SPDX-License-Identifier: Apache-2.0
// Makes what several pages have: search fields, the button for dark and light, entries of legends, and the tip that
// tells what is under the pointer.
import { listen, makeButton, makeDot, makeElement, placeTip, replaceChildren } from "./element.js";
import { toggleTheme } from "./theme.js";

/** A field that is searched with while it is typed in. label: for those who do not see it. */
export function makeSearch(placeholder: string, label: string, find: (text: string) => void): HTMLInputElement {
	const search = makeElement("input");
	search.type = "search";
	search.placeholder = placeholder;
	search.ariaLabel = label;
	listen(search, "input", () => find(search.value));
	return search;
}

export function makeThemeButton(): HTMLButtonElement {
	return makeButton("◐", "dark or light (d)", toggleTheme);
}

/** What a colour means. */
export function makeLegendEntry(colour: string, text: string): HTMLElement {
	const entry = makeElement("span");
	entry.append(makeDot(colour), text);
	return entry;
}

/** What the pointer tells, beside it. */
export class Tip {
	readonly element = makeElement("div", "", "tip");

	constructor() {
		this.hide();
	}

	hide(): void {
		this.element.hidden = true;
	}

	/** x, y: of the pointer in the window. */
	show(x: number, y: number, ...content: HTMLElement[]): void {
		this.element.hidden = false;
		replaceChildren(this.element, ...content);
		placeTip(this.element, x, y);
	}
}
