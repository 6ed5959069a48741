// SPDX-License-Identifier: Apache-2.0
// One host of a fleet: its slow events, and its stacks beside the others'.
import { amount } from "../amount.js";
import { addRow, errorMessage, makeElement, makeNote, makeTable, numberCell, replaceChildren } from "../element.js";
import { clockText, Look, withName } from "./fleetdata.js";
import { showStacks, StackLine } from "./fleetflame.js";

interface SlowLine {
	host: string;
	ended: number;
	delay: number;
	comm: string;
	pid: number;
	key: string;
	cause: string;
}

export interface DetailsSource {
	ask: <T>(question: string, params: Record<string, string | number>) => Promise<T[]>;
	/** Whether it is still looked at. */
	isCurrent: () => boolean;
	actions: HTMLElement[];
}

function makeEvents(slow: readonly SlowLine[]): HTMLElement {
	if (!slow.length) return makeNote("There are none in this range.");
	const { table, body } = makeTable("", [["ended"], ["took", "n"], ["process"], ["key"], ["cause"]]);
	for (const event of slow)
		addRow(
			body,
			event.host,
			clockText(event.ended / 1e9, false),
			numberCell(amount(event.delay, "ns")),
			`${event.comm} (${event.pid})`,
			event.key,
			event.cause,
		);
	return table;
}

/** Shows it in `box`. */
export async function showDetails(
	box: HTMLElement,
	look: Look,
	range: { from: number; to: number },
	source: DetailsSource,
): Promise<void> {
	const { host, tracker } = look;
	if (!host) {
		replaceChildren(box, makeNote("A click on a host shows its slow events, and its stacks beside the others'."));
		return;
	}
	const bar = makeElement("div", "", "bar"),
		events = makeElement("div", "", "events"),
		flame = makeElement("div", "", "flame-host");
	bar.append(makeElement("h2", `${host}: slow events of ${tracker}`), ...source.actions);
	replaceChildren(box, bar, events, makeElement("h2", "Its stacks beside those of the other hosts"), flame);
	try {
		const rest = { hosts: look.hosts === host ? "" : look.hosts, except: withName(look.except, host) },
			slow = await source.ask<SlowLine>("slow", { tracker, ...range, hosts: host }),
			own = await source.ask<StackLine>("stacks", { tracker, ...range, hosts: host }),
			others = await source.ask<StackLine>("stacks", { tracker, ...range, ...rest });
		if (!source.isCurrent()) return;
		replaceChildren(events, makeEvents(slow));
		showStacks(flame, own, others, `slow events of ${tracker}`);
	} catch (error) {
		replaceChildren(events, makeNote(errorMessage(error)));
	}
}
