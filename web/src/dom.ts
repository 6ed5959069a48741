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

/** Puts what the pointer tells beside it, within the window. */
export function placeTip(tip: HTMLElement, x: number, y: number): void {
	const box = tip.getBoundingClientRect();
	tip.style.left = Math.max(4, Math.min(x + 14, innerWidth - box.width - 6)) + "px";
	tip.style.top = (y + 18 + box.height > innerHeight ? Math.max(4, y - box.height - 12) : y + 18) + "px";
}
