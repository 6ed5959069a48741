// SPDX-License-Identifier: Apache-2.0
// Makes the colours of frames and of changes, as src/view/picture does. Knows no page.
import { CHANGE, FRAME_SHADES } from "./appearance.js";

/** A kind of frames or of waits, with its colour. */
export interface Kind {
	text: string;
	hue: number;
	saturation: number;
	lightness: number;
}

/** A colour of a style. */
export function hsl(hue: number, saturation: number, lightness: number): string {
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
