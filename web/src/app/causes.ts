// SPDX-License-Identifier: Apache-2.0
// Who waited, and for what: the slow events of the last minute summed up, those that took most first; waits for others last, as most are for work.
import { amount, number } from "../amount.js";
import { addRow, make, makeTable, numeric } from "../dom.js";

const SHOWN = 5;

export interface Wait {
	tracker: string;
	end: number; // ns
	delay: number;
	comm: string;
	/** Without what is different each time. */
	cause: string;
	/** For another thread or a peer, which may have had nothing to say: what the machine or the kernel kept waiting comes first. */
	peer: boolean;
}

export class Causes {
	readonly element = make("section");
	private readonly rows: HTMLTableRowElement[];
	private waits: Wait[] = [];

	constructor() {
		const { table, body } = makeTable("slow", [["who waited"], ["for what"], ["tracker"], ["times", "n"], ["in all", "n"], ["longest", "n"]]);
		this.rows = Array.from({ length: SHOWN }, () => addRow(body, "", "", make("td", "", "why"), "", numeric(""), numeric(""), numeric("")));
		this.element.append(make("h2", "What was slow in the last minute: who waited longest"), table);
	}

	add(w: Wait): void {
		this.waits.push(w);
	}

	/** since: ns; what ended before is forgotten. from: where a tracker's slow events are from. The rows stay where they are. */
	draw(since: number, from: (tracker: string) => string): void {
		const groups = new Map<string, { wait: Wait, n: number, sum: number, longest: number }>();
		this.waits = this.waits.filter((w) => w.end >= since);
		for (const w of this.waits) {
			const key = [w.comm, w.tracker, w.cause].join("\0"), g = groups.get(key) ?? { wait: w, n: 0, sum: 0, longest: 0 };
			g.n++;
			g.sum += w.delay;
			g.longest = Math.max(g.longest, w.delay);
			groups.set(key, g);
		}
		const top = [...groups.values()].sort((a, b) => Number(a.wait.peer) - Number(b.wait.peer) || b.sum - a.sum);
		this.rows.forEach((row, i) => {
			const g = top[i], none = i ? "\u00a0" : "nothing";
			const texts = g ? [g.wait.comm, g.wait.cause, g.wait.tracker, number(g.n), amount(g.sum, "ns"), amount(g.longest, "ns")] : [none, "", "", "", "", ""];
			row.className = g?.wait.peer ? "muted" : "";
			row.title = g ? `from ${from(g.wait.tracker)}: ended ${since} and later` : "";
			texts.forEach((t, k) => { row.cells[k]!.textContent = t; });
		});
	}
}
