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
