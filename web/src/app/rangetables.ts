// SPDX-License-Identifier: Apache-2.0
// Tables of a range: its keys, what changed, its slow events.
import { SlowRow } from "./api.js";
import { Counts, ShareChange } from "./shares.js";
import { reason } from "./slow.js";
import { origin, Source } from "./stretch.js";
import { amount, number, percent } from "../amount.js";
import { addRow, barCell, makeElement, makeNote, makeTable, numberCell } from "../element.js";
import { keyCss } from "../keycolour.js";
import { sum } from "../math.js";

const KEYS_MAX = 12;

/** Keys by the number of their delays. origin: where the numbers come from. */
export function keyTable(counts: Counts, from: string): HTMLElement {
	const total = sum(counts.all),
		{ table, body } = makeTable("agg keys-table", [["key"], ["delays", "n"], ["share", "n"], ["", "bar"]]),
		rows = [...counts.byKey]
			.map(([key, bySecond]) => ({ key, count: sum(bySecond) }))
			.filter(({ count }) => count >= 0.5)
			.sort((a, b) => b.count - a.count);
	if (!rows.length) return makeNote("There is no delay in this range.");
	for (const { key, count } of rows.slice(0, KEYS_MAX)) {
		const bar = barCell(count / rows[0]!.count, keyCss(key));
		addRow(body, from, key, numberCell(number(count)), numberCell(percent(count / total)), bar);
	}
	if (rows.length > KEYS_MAX) table.createCaption().textContent = `${number(rows.length - KEYS_MAX)} more with less`;
	return table;
}

function points(share: number): string {
	return (share > 0 ? "+" : "") + (100 * share).toFixed(1);
}

function changeText({ before, now, low, high, sure }: ShareChange): string {
	const arrow = sure ? (now > before ? "▲ " : "▼ ") : "",
		interval = Number.isFinite(low) ? `${points(low)} to ${points(high)}` : "unknown";
	return `${arrow}${points(now - before)} (${interval})`;
}

/** Shares before and now; those that chance explains are grey. */
export function changeTable(changes: readonly ShareChange[], from: string): HTMLElement {
	if (!changes.length) return makeNote("There is nothing in either range.");
	const heads = [["key"], ["before", "n"], ["now", "n"], ["points, 95 % interval", "n"]] as const,
		{ table, body } = makeTable("agg changes", heads),
		shown = changes.slice(0, KEYS_MAX);
	for (const change of shown) {
		const cells = [percent(change.before), percent(change.now), changeText(change)].map((text) => numberCell(text));
		addRow(body, from, change.key, ...cells).className = change.sure ? "sure" : "muted";
	}
	if (shown.some((change) => !change.sure)) {
		const known = changes.some((change) => change.sure) ? " ▲ more and ▼ less are not." : "";
		table.createCaption().textContent = `Grey: may be chance.${known}`;
	}
	return table;
}

export function slowTable(source: Source, rows: readonly SlowRow[]): HTMLElement {
	const { table, body } = makeTable("slow", [["delay", "n"], ["thread"], ["tracker"], ["cause"]]);
	for (const row of rows) {
		const stack = Object.values(row.attributes).find((value) => Array.isArray(value)) as string[] | undefined,
			from = `${origin(source, row.tracker, "slow")}: ended ${row.ended}`;
		addRow(
			body,
			stack ? [from, ...stack].join("\n") : from,
			numberCell(amount(row.delay, "ns")),
			`${row.comm} ${row.tid}`,
			row.tracker,
			makeElement("td", reason(row.tracker, row.attributes, false), "why"),
		);
	}
	return table;
}
