// SPDX-License-Identifier: Apache-2.0
// Colours of heat maps, as pixels of an ImageData.
import { GRADIENT, LEAST_OPACITY, Rgb, UNCHOSEN } from "./appearance.js";
import { rgbText } from "./keycolour.js";

const SHADES = 256;

/** Red, green and blue of 256 colours, from few to many. What is few is near to the ground: light, or dark. */
export function gradient(dark: boolean): Uint8ClampedArray {
	const colours = new Uint8ClampedArray(3 * SHADES),
		last = GRADIENT.length - 1;
	for (let index = 0; index < SHADES; index++) {
		const at = ((dark ? index : SHADES - 1 - index) / (SHADES - 1)) * last,
			stop = Math.min(Math.floor(at), last - 1),
			from = GRADIENT[stop]!,
			to = GRADIENT[stop + 1]!;
		for (let channel = 0; channel < 3; channel++)
			colours[3 * index + channel] = from[channel]! + (at - stop) * (to[channel]! - from[channel]!);
	}
	return colours;
}

/** The gradient as a value of a style; stops: how many colours of it. */
export function gradientCss(dark: boolean, stops: number): string {
	const colours = gradient(dark),
		at = (stop: number) => 3 * Math.round((stop * (SHADES - 1)) / (stops - 1)),
		texts = Array.from({ length: stops }, (_, stop) => rgbText(colours.subarray(at(stop), at(stop) + 3)));
	return `linear-gradient(90deg, ${texts.join(",")})`;
}

/** How visible the colour of a key is, from few to many, as a value of a style. */
export function opacityCss(): string {
	const grey = UNCHOSEN.join(" ");
	return `linear-gradient(90deg, rgb(${grey} / ${100 * LEAST_OPACITY}%), rgb(${grey}))`;
}

/** A colour without opacity as a pixel of an ImageData, on little-endian machines. */
export function pixelOf(red: number, green: number, blue: number): number {
	return ((blue + 0.5) << 16) | ((green + 0.5) << 8) | (red + 0.5);
}

/** The opacity of a pixel whose count is `level` (0 … 1) of the largest. */
export function opacityOf(level: number): number {
	return level > 0 ? ((255 * (LEAST_OPACITY + (1 - LEAST_OPACITY) * level) + 0.5) << 24) >>> 0 : 0;
}

/** Opaque pixels of the gradient. */
export function gradientPixels(dark: boolean): Uint32Array {
	const colours = gradient(dark);
	return Uint32Array.from({ length: SHADES }, (_, index) => {
		const at = 3 * index;
		return (pixelOf(colours[at]!, colours[at + 1]!, colours[at + 2]!) | (255 << 24)) >>> 0;
	});
}

export const GREY_PIXEL = pixelOf(...UNCHOSEN);

/** From grey (a cell has nothing of the key) to the key's colour (all is the key's), without opacity. */
export function shadesTo(colour: Rgb): Uint32Array {
	return Uint32Array.from({ length: SHADES }, (_, index) => {
		const share = index / (SHADES - 1),
			mix = (channel: 0 | 1 | 2) => UNCHOSEN[channel] + share * (colour[channel] - UNCHOSEN[channel]);
		return pixelOf(mix(0), mix(1), mix(2));
	});
}
