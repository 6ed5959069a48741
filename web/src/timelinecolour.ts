// SPDX-License-Identifier: Apache-2.0
// Chooses the colours of a timeline, as src/view/picture/timeline_svg.c does. Knows no page.
import { WAIT_DARK } from "./appearance.js";
import { hsl, Kind } from "./framecolour.js";
import { KEY_SLOTS, rgbText, slotColour } from "./keycolour.js";
import { isNamed, Palette, WaitKind } from "./timelinemodel.js";

const NAMED_WEIGHT = 2; // of what has colours by its names

/** The colour of a kind. */
export function kindColour({ hue, saturation, lightness }: Kind, dark: boolean): string {
	if (!dark) return hsl(hue, saturation, lightness);
	const isPale = saturation < WAIT_DARK.pale_saturation && lightness > WAIT_DARK.pale_lightness,
		darker = lightness > WAIT_DARK.bright ? lightness - WAIT_DARK.darker : lightness;
	return hsl(hue, (saturation * WAIT_DARK.saturation) / 100, isPale ? WAIT_DARK.pale : darker);
}

/** The same for legends: what has colours by its names has several. */
export function legendColour(kind: WaitKind, dark: boolean): string {
	if (!isNamed(kind.name)) return kindColour(kind, dark);
	const [first, second, third] = [0, 1, 2].map((slot) => rgbText(slotColour(slot)));
	return `linear-gradient(90deg, ${first} 34%, ${second} 34% 67%, ${third} 67%)`;
}

/** The colours of all kinds, then those of names. bytesOf: red, green and blue of a colour of a style. */
export function makePalette(
	kinds: readonly WaitKind[],
	dark: boolean,
	bytesOf: (colour: string) => ArrayLike<number>,
): Palette {
	const count = kinds.length + KEY_SLOTS,
		rgb = new Uint8Array(3 * count),
		weight = new Float32Array(count);
	for (let index = 0; index < count; index++) {
		const kind = kinds[index],
			colour = kind ? kindColour(kind, dark) : rgbText(slotColour(index - kinds.length));
		rgb.set(bytesOf(colour), 3 * index);
		weight[index] = 4 ** (kind ? kind.weight : NAMED_WEIGHT);
	}
	return { rgb, weight };
}
