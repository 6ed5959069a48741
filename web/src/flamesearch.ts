// SPDX-License-Identifier: Apache-2.0
// Which functions a text finds, and what share of all stacks they have. Knows no page.
import { percent } from "./amount.js";
import { sum } from "./math.js";
import { Tree } from "./tree.js";

/** Functions that were found. */
export interface Found {
	/** 1 for each function that was found, by its number. */
	frames: Uint8Array;
	functions: number;
	/** Of the stacks that have one of them. */
	share: number;
}

/** A regular expression; a text that is none is searched as it is. */
function patternOf(text: string, ignoreCase: boolean): RegExp {
	const flags = ignoreCase ? "i" : "";
	try {
		return new RegExp(text, flags);
	} catch {
		return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), flags);
	}
}

/** Searches names of functions and modules; null: nothing is searched for. */
export function search(tree: Tree, text: string, ignoreCase: boolean): Found | null {
	if (!text) return null;
	const { name, module } = tree.frames,
		pattern = patternOf(text, ignoreCase),
		frames = Uint8Array.from(name, (one, frame) => (pattern.test(one) || pattern.test(module[frame]!) ? 1 : 0));
	let share = 0;
	for (let node = 0; node < tree.n;) {
		const found = frames[tree.frame[node]!];
		if (found) share += tree.w[node]!;
		node = found ? tree.end[node]! : node + 1; // what it calls is counted with it
	}
	return { frames, functions: sum(frames), share };
}

export function foundText(found: Found | null): string {
	if (!found) return "";
	if (!found.functions) return "nothing found";
	return `${percent(found.share)} in ${found.functions} function${found.functions === 1 ? "" : "s"}`;
}
