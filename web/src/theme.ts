// SPDX-License-Identifier: Apache-2.0
// Colours: those of the page come from its style sheet, those of data are made here, the same as in src/view.

export interface Kind {
	text: string;
	hue: number;
	saturation: number;
	lightness: number;
}

const SHADES = 8;
const CHANGE_STEPS = 10;

export function isDark(): boolean {
	const forced = document.documentElement.dataset["theme"];
	return forced ? forced === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

export function toggleTheme(): void {
	document.documentElement.dataset["theme"] = isDark() ? "light" : "dark";
}

/** Calls back when the colours of the page change. */
export function onTheme(fn: () => void): void {
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", fn);
	new MutationObserver(fn).observe(document.documentElement, { attributeFilter: ["data-theme"] });
}

export function cssColour(name: string): string {
	return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** The font of texts on a canvas. */
export function cssFont(): string {
	return cssColour("--font") || "12px sans-serif";
}

/** All shades of all kinds: [kind * SHADES + shade]. */
export function kindColours(kinds: Kind[], dark: boolean): string[] {
	const all: string[] = [];
	for (const k of kinds)
		for (let v = 0; v < SHADES; v++) {
			const light = k.lightness + Math.floor(v / 4) * 4 - 2;
			all.push(`hsl(${(k.hue + (v % 4) * 4 - 6 + 360) % 360} ${dark ? k.saturation * 3 / 4 : k.saturation}% ${
				dark ? light - 12 : light}%)`);
		}
	return all;
}

export function kindIndex(kind: number, hue: number): number {
	return kind * SHADES + hue % SHADES;
}

/** From vanished (blue) to new (red): index changeIndex(). */
export function changeColours(dark: boolean): string[] {
	const all: string[] = [];
	for (let s = -CHANGE_STEPS; s <= CHANGE_STEPS; s++) {
		const size = Math.abs(s);
		all.push(`hsl(${s < 0 ? 211 : 14} ${size ? 45 + 4 * size : 0}% ${(dark ? 74 : 88) - (dark ? 2 : 3) * size}%)`);
	}
	return all;
}

/** change: -1 … 1. */
export function changeIndex(change: number): number {
	return Math.trunc(change * CHANGE_STEPS) + CHANGE_STEPS;
}
