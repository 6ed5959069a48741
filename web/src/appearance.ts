// SPDX-License-Identifier: Apache-2.0
// Colours, ticks and units of pictures, as the C code has them: src/view/picture/appearance.json is the source of both.
import appearance from "appearance.json";

/** Red, green and blue: 0 … 255. */
export type Rgb = readonly [number, number, number];

/** A unit and how many of the smallest unit it has. */
export interface UnitStep {
	size: number;
	name: string;
}

/** Viridis at equal steps, dark to light: equal steps look equal, also to colour-blind readers. */
export const GRADIENT = appearance.gradient as unknown as readonly Rgb[];
/** Of cells whose keys are not selected. */
export const UNCHOSEN = appearance.unchosen as unknown as Rgb;
/** The opacity of the cell with the smallest count. */
export const LEAST_OPACITY = appearance.least_opacity;
/** The last one is grey, for what has no key. */
export const KEY_COLOURS = appearance.key_colours as unknown as readonly Rgb[];
/** Variants of the colours of keys: `share` of the way towards white or black. */
export const KEY_SHADES = appearance.key_shades;
export const FRAME_SHADES = appearance.frame_shades;
export const CHANGE = appearance.change;
/** Standard deviations that a difference must exceed. */
export const SIGNIFICANT_DEVIATIONS = appearance.significant_deviations;
export const WAIT_DARK = appearance.wait_dark;
export const TICK_PARTS: readonly number[] = appearance.tick_parts;
export const TICK_SECONDS: readonly number[] = appearance.tick_seconds;
export const TIME_STEPS: readonly UnitStep[] = appearance.time_steps;
export const BYTE_STEPS: readonly UnitStep[] = appearance.byte_steps;
export const TIME_UNITS: readonly UnitStep[] = appearance.time_units;
/** The index of the first unit of time that needs two of itself: minutes and hours. */
export const LONG_STEP = appearance.long_step;
/** Text on bright colours, in light and dark. */
export const INK = appearance.palette.light.text;
