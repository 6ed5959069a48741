// SPDX-License-Identifier: Apache-2.0
// Colours of keys (names of processes, devices …): the key itself chooses its colour, so that it is the same in every
// view and every run. Where two keys of a page would have the same colour, the later one takes the next free one.
import { KEY_COLOURS, KEY_SHADES, Rgb } from "./appearance.js";
import { hueOf } from "./tree.js";

const HUES = KEY_COLOURS.length - 1; // the last colour is grey, for what has no key
export const KEY_SLOTS = HUES * KEY_SHADES.length;

const utf8 = new TextEncoder(),
	slots = new Map<string, number>(),
	taken = new Set<number>();

function wantedSlot(key: string): number {
	return hueOf(utf8.encode(key)) % KEY_SLOTS;
}

function give(key: string, slot: number): number {
	slots.set(key, slot);
	taken.add(slot);
	return slot;
}

/**
 * Of keys that stand together, gives each the colour that it wants, if no other key has it. A key that must give way
 * later does not push others aside.
 */
export function claimSlots(keys: Iterable<string>): void {
	for (const key of keys) {
		const slot = wantedSlot(key);
		if (!taken.has(slot) && !slots.has(key)) give(key, slot);
	}
}

/** Which of the KEY_SLOTS colours a key has. */
export function keySlot(key: string): number {
	const known = slots.get(key);
	if (known !== undefined) return known;
	let slot = wantedSlot(key);
	while (taken.size < KEY_SLOTS && taken.has(slot)) slot = (slot + 1) % KEY_SLOTS;
	return give(key, slot);
}

export function slotColour(slot: number): Rgb {
	const base = KEY_COLOURS[slot % HUES]!,
		{ towards, share } = KEY_SHADES[Math.floor(slot / HUES) % KEY_SHADES.length]!,
		mix = (channel: number) => Math.round(channel + share * (towards - channel));
	return [mix(base[0]), mix(base[1]), mix(base[2])];
}

export function rgbText(colour: ArrayLike<number>): string {
	return `rgb(${colour[0]} ${colour[1]} ${colour[2]})`;
}

export function keyColour(key: string): Rgb {
	return slotColour(keySlot(key));
}

/** The same as a value of a style. */
export function keyCss(key: string): string {
	return rgbText(keyColour(key));
}
