// SPDX-License-Identifier: Apache-2.0
// What the live view knows: made from the lines that its run prints, drawn by overview.ts. Knows no page.
import { Line } from "./api.js";
import { lossKey, lossOf, Losses } from "./losses.js";
import { SlowEvent, slowEventOf, SlowEvents } from "./slowevents.js";
import { MINUTE, SECOND, TrackerState } from "./trackerstate.js";
import { amount } from "../amount.js";
import trackers from "trackers.json";

/** Trackers that the live view shows, and what they measure: as the heads of dlib/latency say. */
export const TRACKERS: readonly (readonly [string, string])[] = trackers.trackers
	.filter((tracker) => tracker.default)
	.map((tracker) => [tracker.name, tracker.what]);

/** The first line of the page, and where it comes from. */
export interface Headline {
	text: string;
	origin: string;
	bad: boolean;
}

/** A change that the governor made to keep maxcpu. */
interface Governed {
	attached: boolean;
	probe: string;
	/** Trackers, or other files of the view. */
	names: string[];
	/** How long the probe was detached; 0: not said. */
	seconds: number;
}

/** A message of the governor; null: another message. Source: src/run/session/governor.c. */
function governedBy(text: string): Governed | null {
	const match = /^maxcpu: (detached|attached) (\S+).*\((.*)\): /.exec(text);
	if (!match) return null;
	const [, what, probe = "", files = ""] = match;
	return {
		attached: what === "attached",
		probe,
		names: files.match(/\w+(?=\.d)/g) ?? [],
		seconds: Number(/for ([\d.]+) s$/.exec(text)?.[1] ?? 0),
	};
}

export class LiveModel {
	readonly trackers = new Map(TRACKERS.map(([name]) => [name, new TrackerState(name)]));
	readonly slow = new SlowEvents();
	readonly losses = new Losses();
	/** Of the compiler. */
	errors: string[] = [];
	/** The newest second of which anything came; 0: none yet. */
	now = 0;
	/** ns: the newest of everything that came. */
	newest = 0;
	private began = Infinity; // the first second of which anything came
	private late = 0; // the last second that was read so late that it has what was in those before it

	/** The trackers start again. */
	restart(): void {
		this.losses.clear();
		this.errors = [];
		for (const tracker of this.trackers.values()) tracker.reset();
	}

	take(line: Line): void {
		if (line.type === "histogram") this.takeHistogram(line);
		else if (line.type === "event") this.takeEvent(line);
		else if (line.type === "message") this.takeMessage(line);
		else if (line["severity"] === "error")
			this.errors.push(`${String(line["source"])}, line ${String(line["line"])}: ${String(line["message"])}`);
		else if (line.type === "diagnostic") this.takeDiagnostic(line);
		else if (line.type === "drop") this.losses.add(lossKey(line), lossOf(line));
	}

	/** Lines that the server forgot before this page read them. */
	takeForgotten(count: number): void {
		this.losses.add("", { kind: "lost", count, what: "lines forgotten before this page read them" });
	}

	private takeHistogram(line: Line): void {
		const second = Math.floor(line.time! / SECOND);
		this.trackers.get(line["tracker"] as string)?.add(line);
		this.now = Math.max(this.now, second);
		this.began = Math.min(this.began, second);
		if (line["late"]) this.late = second;
		this.newest = Math.max(this.newest, (this.now + 1) * SECOND);
	}

	private takeEvent(line: Line): void {
		for (const output of line.output ?? []) {
			if (output.action !== "slow") continue;
			this.newest = Math.max(this.newest, line.time!);
			this.slow.add(slowEventOf(line, output));
		}
	}

	/** This kernel has no probes for something. */
	private takeDiagnostic(line: Line): void {
		const name = /(\w+)\.d$/.exec(String(line["source"]))?.[1] ?? "",
			why = `not on this kernel: ${String(line["message"]).replace(/^left out: /, "")}`,
			tracker = this.trackers.get(name);
		if (tracker) tracker.addShortcoming(why);
		else this.losses.add(why, { kind: "left out", count: 0, what: why });
	}

	/** What the governor detaches is not measured until it is attached again. */
	private takeMessage(line: Line): void {
		const text = line.text ?? "",
			governed = governedBy(text),
			second = Math.floor((line.time ?? this.newest) / SECOND);
		if (!governed) {
			// of messages that differ by their numbers, the last one
			this.losses.add(text.replace(/[\d.]+/g, ""), { kind: "lost", count: 0, what: text });
			return;
		}
		const { attached, probe, names, seconds } = governed;
		for (const name of names) {
			const tracker = this.trackers.get(name),
				tag = `${name}.d ${probe}`,
				what = `part of ${name}.d is not measured any more: ${text}`;
			if (attached) {
				tracker?.reattach(probe, second, seconds);
				this.losses.delete(tag);
			} else if (tracker) {
				tracker.detach(probe, second, `not measured any more: ${text}`);
			} else {
				this.losses.add(tag, { kind: "left out", count: 0, what });
			}
		}
	}

	/** Why a second of a tracker was not measured; "": it was. */
	gap(tracker: TrackerState, second: number): string {
		if (second < this.began) return "this page knows only what came later";
		if (tracker.wasOff(second)) return "dwell had detached its own probes: too much CPU time";
		if ([...this.trackers.values()].some((other) => other.data.cells.has(second))) return "";
		return this.late > second
			? "dwell got no CPU in time: events are counted after the gap"
			: "nothing was received for this second";
	}

	/** Names of trackers that are not measured any more. */
	get stopped(): string[] {
		return [...this.trackers.values()]
			.filter((tracker) => tracker.stopped < Infinity)
			.map((tracker) => tracker.name);
	}

	/** The beginning of the last minute, in ns. */
	get minuteAgo(): number {
		return this.newest - MINUTE * SECOND;
	}

	/** Where the slow events of a tracker come from. */
	slowOrigin(name: string): string {
		return this.trackers.get(name)?.origin("slow") ?? name;
	}

	/** The most important fact. */
	get headline(): Headline {
		const { stopped } = this,
			worst = this.slow.worst(this.minuteAgo);
		if (stopped.length)
			return {
				text: `Not measured any more (too much CPU time): ${stopped.join(", ")} `,
				origin: "from message rows of recording live",
				bad: true,
			};
		if (!worst)
			return {
				text: "Nothing was slow in the last minute.",
				origin: "from table slow of recording live",
				bad: false,
			};
		return {
			text: `Slowest: ${worst.comm}, ${amount(worst.delay, "ns")} (${worst.tracker}): ${worst.why}`,
			origin: `from ${this.slowOrigin(worst.tracker)}: ended ${worst.end}`,
			bad: false,
		};
	}

	/** Slow events that a filter lets through, the newest first. */
	slowEvents(most: number, filter: (event: SlowEvent) => boolean): SlowEvent[] {
		return this.slow.kept.filter(filter).slice(-most).reverse();
	}
}
