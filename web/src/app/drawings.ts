// SPDX-License-Identifier: Apache-2.0
// How the output of a program is drawn: what fits it, what is best, and the choice among them.
import { replaceChildren, makeElement, makeGroup, makeFocusable } from "../element.js";
import { ResultHeat } from "./resultheat.js";
import { distributions, Flames, isDistribution, source, stacksOf, drawTable, textOf } from "./aggview.js";
import { Output, Result } from "./output.js";

export type Drawing = "table" | "histogram" | "heat" | "flame" | "text";
const NAMES: Record<Drawing, [string, string]> = {
	flame: ["Flame graph", "the stacks of the key"],
	histogram: ["Histogram", "how the values are distributed"],
	heat: ["Heat map", "how the distribution changes from second to second"],
	table: ["Table", "keys and values: a click on a head sorts"],
	text: ["Text", "as the program writes it"],
};

/** What fits a result, the best first. */
export function drawingsOf(result: Result): Drawing[] {
	const all: Drawing[] = [];
	if (stacksOf(result)) all.push("flame");
	if (result.rows.some((row) => isDistribution(row))) all.push("histogram", "heat");
	all.push("table");
	if (result.text !== null) all.push("text");
	return all;
}

/** A result with its heading, the choice, and the drawing. */
export class Picture {
	readonly element = makeElement("section", "", "picture");
	private readonly bar = makeElement("div", "", "bar");
	private readonly host = makeElement("div");
	private readonly title: HTMLElement;
	private offered = "";
	private drawn: Drawing | null = null;
	private heat: ResultHeat | null = null;
	/** What was asked for; what does not fit is not drawn so. */
	wanted: Drawing | null = null;
	onChoice: () => void = () => {};

	constructor(
		name: string,
		private readonly flames: Flames,
	) {
		this.title = makeElement("h2", name);
		makeFocusable(this.host, "group", name); // it scrolls
		this.element.append(this.bar, this.host);
	}

	/** What is drawn now. */
	get drawing(): Drawing | null {
		return this.drawn;
	}

	draw(result: Result, output: Output): void {
		const fit = drawingsOf(result),
			best = this.wanted && fit.includes(this.wanted) ? this.wanted : fit[0]!;
		if (this.offered !== fit.join() || best !== this.drawn) {
			this.offered = fit.join();
			replaceChildren(
				this.bar,
				this.title,
				...(fit.length > 1
					? [
							makeGroup(
								fit.map((drawing) => [drawing, ...NAMES[drawing]] as const),
								(drawing) => drawing === best,
								(drawing) => {
									this.wanted = drawing;
									this.draw(result, output);
									this.onChoice();
								},
							).element,
						]
					: []),
			);
		}
		if (best !== this.drawn) {
			this.drawn = best;
			this.element.dataset["drawing"] = best;
			this.heat = null;
			replaceChildren(this.host);
			this.host.removeAttribute("style");
		}
		if (best === "flame") this.flames(this.host, stacksOf(result)!, source(result, null));
		else if (best === "histogram") distributions(this.host, result);
		else if (best === "heat") (this.heat ??= new ResultHeat(this.host)).draw(result, output);
		else if (best === "text") textOf(this.host, result);
		else drawTable(this.host, result);
	}
}

/** The part of an address that says how results are drawn: name~drawing, with commas. */
export function putDrawings(wanted: Map<string, Drawing>): string {
	return [...wanted].map(([name, drawing]) => `${name}~${drawing}`).join(",");
}

export function takeDrawings(text: string | null): Map<string, Drawing> {
	const all = new Map<string, Drawing>();
	for (const one of (text ?? "").split(",")) {
		const at = one.lastIndexOf("~"),
			drawing = one.slice(at + 1);
		if (at >= 0 && drawing in NAMES) all.set(one.slice(0, at), drawing as Drawing);
	}
	return all;
}
