// SPDX-License-Identifier: Apache-2.0
// The slow events of the live view, as they come, and their causes summed up. Knows no page.
import { Line, Value } from "./api.js";
import { causeOf, isIdle, isPeer, reason } from "./slow.js";

const KEPT_MAX = 500;

export interface SlowEvent {
	tracker: string;
	end: number; // ns
	delay: number; // ns
	comm: string;
	tid: number;
	/** A wait for something to do, or a sleep. */
	idle: boolean;
	/** A wait for another thread or a peer, which may have had nothing to do: waits for the machine come first. */
	peer: boolean;
	/** The cause in words. */
	why: string;
	/** The same without what differs each time. */
	cause: string;
	attributes: Record<string, Value>;
}

/** Waits of one process for one cause. */
export interface CauseSum {
	event: SlowEvent; // the first of them
	count: number;
	total: number; // ns
	longest: number; // ns
}

/** The slow event of an action slow() in a line of type "event". */
export function slowEventOf(line: Line, output: Record<string, unknown>): SlowEvent {
	const tracker = output["tracker"] as string,
		opener = output["opener"] as { comm: string; tid: number },
		attributes = output["attributes"] as Record<string, Value>,
		cause = causeOf(attributes);
	return {
		tracker,
		end: line.time!,
		delay: output["delay"] as number,
		comm: opener.comm,
		tid: opener.tid,
		idle: isIdle(cause),
		peer: isPeer(cause),
		why: reason(tracker, attributes, false),
		cause: reason(tracker, attributes, true),
		attributes,
	};
}

/** Waits for others are most often waits for work: they come last. */
function comparePeers(a: SlowEvent, b: SlowEvent): number {
	return Number(a.peer) - Number(b.peer);
}

export class SlowEvents {
	/** Events in the order in which they came; the oldest are forgotten. */
	readonly kept: SlowEvent[] = [];
	/** Those that are no idle waits, for the sums of causes. */
	private waits: SlowEvent[] = [];

	add(event: SlowEvent): void {
		this.kept.push(event);
		if (!event.idle) this.waits.push(event);
		if (this.kept.length > KEPT_MAX) this.kept.splice(0, KEPT_MAX / 10);
	}

	/** The longest wait that ended after `since` (ns). */
	worst(since: number): SlowEvent | undefined {
		const recent = this.kept.filter((event) => !event.idle && event.end > since);
		return recent.sort((a, b) => comparePeers(a, b) || b.delay - a.delay)[0];
	}

	/** Causes of waits that ended at `since` (ns) or later, the largest first; forgets what ended before. */
	causes(since: number): CauseSum[] {
		const sums = new Map<string, CauseSum>();
		this.waits = this.waits.filter((event) => event.end >= since);
		for (const event of this.waits) {
			const key = [event.comm, event.tracker, event.cause].join("\0"),
				sum = sums.get(key) ?? { event, count: 0, total: 0, longest: 0 };
			sum.count++;
			sum.total += event.delay;
			sum.longest = Math.max(sum.longest, event.delay);
			sums.set(key, sum);
		}
		return [...sums.values()].sort((a, b) => comparePeers(a.event, b.event) || b.total - a.total);
	}
}
