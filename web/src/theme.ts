// SPDX-License-Identifier: Apache-2.0
// Tells whether the page is light or dark, and the colours and the font of its style sheet. Colours of data are made in
// framecolour.ts, keycolour.ts, heatcolour.ts and timelinecolour.ts.

export function isDark(): boolean {
	const forced = document.documentElement.dataset["theme"];
	return forced ? forced === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

export function toggleTheme(): void {
	document.documentElement.dataset["theme"] = isDark() ? "light" : "dark";
}

/** Calls back when the colours of the page change. */
export function onTheme(changed: () => void): void {
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
	new MutationObserver(changed).observe(document.documentElement, { attributeFilter: ["data-theme"] });
}

export function cssColour(name: string): string {
	return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** The font of texts on a canvas. */
export function cssFont(): string {
	return cssColour("--font") || "12px sans-serif";
}
