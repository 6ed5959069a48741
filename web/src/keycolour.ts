// SPDX-License-Identifier: Apache-2.0
// Colours of keys (names of processes, devices …): by the key itself, so that it has the same in every view and every run. Where two keys of
// a page would have the same, the one that came later takes the next that is free.
import { hueOf } from "./tree.js";

/** Okabe and Ito: told apart by all. The same, in this order, as src/view/picture/keycolour.def. */
export const KEY_COLOURS = [[230, 159, 0], [86, 180, 233], [0, 158, 115], [213, 94, 0], [204, 121, 167], [0, 114, 178], [240, 228, 66],
	[120, 120, 120]] as const;
const HUES = KEY_COLOURS.length - 1; // grey is for what has no key
const SHADES = [[0, 0], [255, 0.45], [0, 0.35]] as const; // as it is; lighter, darker: towards what, by how much
export const KEY_SLOTS = HUES * SHADES.length;

const utf8 = new TextEncoder(), slots = new Map<string, number>(), taken = new Set<number>();

function wantedSlot(key: string): number {
	return hueOf(utf8.encode(key)) % KEY_SLOTS;
}

/** Of keys that stand together, each gets the colour that it wants, if nobody has it: who has to give way later does not push others aside. */
export function claimSlots(keys: Iterable<string>): void {
	for (const key of keys) {
		const slot = wantedSlot(key);
		if (!taken.has(slot) && !slots.has(key)) {
			slots.set(key, slot);
			taken.add(slot);
		}
	}
}

/** Which of the KEY_SLOTS colours a key has. */
export function keySlot(key: string): number {
	const had = slots.get(key);
	if (had !== undefined)
		return had;
	let slot = wantedSlot(key);
	while (taken.size < KEY_SLOTS && taken.has(slot))
		slot = (slot + 1) % KEY_SLOTS;
	slots.set(key, slot);
	taken.add(slot);
	return slot;
}

export function slotColour(slot: number): [number, number, number] {
	const base = KEY_COLOURS[slot % HUES]!, [towards, share] = SHADES[Math.floor(slot / HUES) % SHADES.length]!;
	return [0, 1, 2].map((c) => Math.round(base[c]! + share * (towards - base[c]!))) as [number, number, number];
}

export function keyColour(key: string): [number, number, number] {
	return slotColour(keySlot(key));
}

export function keyCss(key: string): string {
	return `rgb(${keyColour(key).join(" ")})`;
}
