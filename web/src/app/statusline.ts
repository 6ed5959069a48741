// SPDX-License-Identifier: Apache-2.0
// The first line of the live view: the most important fact, the run queue, the disks, and what dwell itself costs. Each
// part stays where it is; where it comes from is told while the pointer rests on it.
import { api } from "./api.js";
import { LiveModel } from "./livemodel.js";
import { Source, times } from "./stretch.js";
import { MINUTE, SECOND } from "./trackerstate.js";
import { makeButton, makeElement } from "../element.js";

export const CONNECTION_LOST = "Connection lost, trying again…";

function put(element: HTMLElement, text: string, origin: string): void {
	element.textContent = text;
	element.title = origin;
}

export class StatusLine {
	readonly element = makeElement("p", "", "state-line");
	onRestart: () => void = () => {};
	private readonly headline = makeElement("b");
	private readonly restart = makeButton("Measure again", "start the trackers again, for all viewers", () =>
		this.onRestart(),
	);
	private readonly queue = makeElement("span");
	private readonly disks = makeElement("span");
	private readonly cost = makeElement("span");

	constructor() {
		this.element.role = "status";
		this.cost.title = "from all programs of this view, table cost of recording live, the last minute";
		const { headline, restart, queue, disks, cost } = this;
		this.element.append(headline, restart, makeElement("br"), queue, " · ", disks, cost);
	}

	draw(model: LiveModel, connected: boolean): void {
		const { text, origin, bad } = connected ? model.headline : { text: CONNECTION_LOST, origin: "", bad: true };
		put(this.headline, text, origin);
		this.headline.className = bad ? "bad" : "";
		this.restart.hidden = !connected || !model.stopped.length;
		this.drawAtOnce(this.queue, model, "wakeup", (count) => `Run queue: ${count} threads wait for a CPU`);
		this.drawAtOnce(this.disks, model, "block", (count) => `block I/O: ${count} requests in flight`);
	}

	private drawAtOnce(element: HTMLElement, model: LiveModel, name: string, text: (count: string) => string): void {
		const tracker = model.trackers.get(name)!;
		put(
			element,
			text(tracker.atOnce(model.now)),
			`from ${tracker.origin("hist")}, on average of the last ten seconds`,
		);
	}

	/** Reads what dwell's programs cost in the last minute. */
	async readCost(source: Source, now: number): Promise<void> {
		const from = times(source, (now - MINUTE) * SECOND, 0).from,
			rows = await api
				.viewLines<{ time: number; run_ns: number }>("live", "costs.json", { from })
				.catch(() => []),
			first = Math.min(...rows.map((row) => row.time)),
			last = Math.max(...rows.map((row) => row.time)),
			ns = rows.filter((row) => row.time > first).reduce((total, row) => total + row.run_ns, 0);
		if (last > first)
			this.cost.textContent = ` · dwell itself uses ${((100 * ns) / (last - first)).toFixed(1)} % of a CPU`;
	}
}
