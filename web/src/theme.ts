// SPDX-License-Identifier: Apache-2.0
// Light and dark: the colours of the page come from its style sheet, those of data are made here as in src/view.
import { CHANGE, FRAME_SHADES } from "./appearance.js";

/** A kind of frames or of waits, with its colour. */
export interface Kind {
	text: string;
	hue: number;
	saturation: number;
	lightness: number;
}

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

function hsl(hue: number, saturation: number, lightness: number): string {
	return `hsl(${(hue + 360) % 360} ${saturation}% ${lightness}%)`;
}

/** All shades of all kinds: index kindIndex(). */
export function kindColours(kinds: readonly Kind[], dark: boolean): string[] {
	const shades = FRAME_SHADES;
	return kinds.flatMap((kind) =>
		Array.from({ length: shades.count }, (_, shade) => {
			const hue = kind.hue + (shade % shades.hues) * shades.hue_step + shades.hue_first,
				group = Math.floor(shade / shades.hues),
				light = kind.lightness + group * shades.lightness_step + shades.lightness_first;
			if (!dark) return hsl(hue, kind.saturation, light);
			return hsl(hue, (kind.saturation * shades.dark_saturation) / 100, light + shades.dark_lightness);
		}),
	);
}

export function kindIndex(kind: number, hue: number): number {
	return kind * FRAME_SHADES.count + (hue % FRAME_SHADES.count);
}

/** From vanished (blue) to new (red): index changeIndex(). */
export function changeColours(dark: boolean): string[] {
	return Array.from({ length: 2 * CHANGE.steps + 1 }, (_, index) => {
		const step = index - CHANGE.steps,
			size = Math.abs(step),
			hue = step < 0 ? CHANGE.hue_less : CHANGE.hue_more,
			saturation = size ? CHANGE.saturation_first + CHANGE.saturation_step * size : 0,
			light = CHANGE.lightness_light - CHANGE.step_light * size;
		return hsl(hue, saturation, dark ? CHANGE.lightness_dark - CHANGE.step_dark * size : light);
	});
}

/** change: -1 … 1. */
export function changeIndex(change: number): number {
	return Math.trunc(change * CHANGE.steps) + CHANGE.steps;
}
