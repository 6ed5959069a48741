// SPDX-License-Identifier: Apache-2.0
// The stacks of one host beside those of all others.
import { flamePair } from "../app/flames.js";
import { makeNote, replaceChildren } from "../element.js";

export interface StackLine {
	stack: string;
	ns: number;
}

/** others: of the rest of the fleet; null: the graph of `own` alone. */
export function showStacks(host: HTMLElement, own: StackLine[], others: StackLine[] | null, from: string): void {
	const all = new Map<string, [number, number]>();
	const add = (lines: readonly StackLine[], weight: 0 | 1) => {
		for (const { stack, ns } of lines) {
			const weights = all.get(stack) ?? [0, 0];
			weights[weight] += ns;
			all.set(stack, weights);
		}
	};
	add(others ?? [], 0);
	add(own, 1);
	if (!own.length) {
		replaceChildren(host, makeNote("There are no slow events with stacks in this range."));
		return;
	}
	const stacks = Array.from(all, ([stack, [before, now]]) => ({
		frames: stack.split(";"),
		weights: others ? [before, now] : [now],
	}));
	flamePair(host, stacks, from);
}
