// SPDX-License-Identifier: Apache-2.0
// State of the fleet's page: the look and its address, the window of time, the order of hosts, the outliers, and their
// words. Knows no page and asks no server; fleetpage.ts draws it.
import { amount, number } from "../amount.js";
import {
	bucketBound,
	clockText,
	GridLine,
	GridModel,
	Look,
	NOTHING,
	Outlier,
	QUANTILES,
	readLook,
	stepOf,
	writeLook,
} from "./fleetdata.js";

const AGAIN_S = 8, // what is asked for again while live: late rows replace earlier ones
	ORDER_MS = 3000; // rows keep their places for so long

/** Seconds since 1970. */
export interface Span {
	from: number;
	to: number;
}

export interface CellText {
	title: string;
	time: string;
	value: string;
}

export class FleetState {
	look: Look;
	/** The window of the look; null: not loaded yet. */
	model: GridModel | null = null;
	trackers: string[] = [];
	outliers: Outlier[] = [];
	/** Hosts in the order of their rows. */
	hosts: string[] = [];
	/** The last second that has rows. */
	newest = 0;
	/** Counts the looks: an answer to an earlier one is dropped. */
	turn = 0;
	private ordered: { model: GridModel | null; key: string; at: number } = { model: null, key: "", at: 0 };

	constructor(hash: string) {
		this.look = readLook(hash);
	}

	/** The address of the look with a change. */
	address(change: Partial<Look>): string {
		return writeLook({ ...this.look, ...change });
	}

	/** Takes the look of an address. A look that differs in more than the host needs another window. */
	open(hash: string): void {
		const before = this.address({ host: "" });
		this.look = readLook(hash);
		if (this.model && before === this.address({ host: "" })) return;
		this.turn++;
		this.model = null;
	}

	/** The range that is looked at. */
	range(now: number): Span {
		const { from, to, range } = this.look;
		return from ? { from, to } : { from: now - range, to: now };
	}

	/** The change that holds a live range, or makes a held one live. */
	toggledHold(now: number): Partial<Look> {
		return this.look.from ? { from: 0, to: 0 } : this.range(now);
	}

	/** Takes the trackers of the range. A tracker that the range does not have is replaced by the first. */
	takeTrackers(trackers: readonly string[]): void {
		this.trackers = [...trackers];
		const first = this.trackers[0];
		if (first && !this.trackers.includes(this.look.tracker)) this.look = readLook(this.address({ tracker: first }));
	}

	/** The trackers to choose from. */
	get choices(): string[] {
		return this.trackers.length ? this.trackers : [this.look.tracker];
	}

	/** An empty window for a range; it begins with a whole column. */
	makeWindow({ from, to }: Span): GridModel {
		const step = stepOf(to - from),
			start = from - (from % step);
		return new GridModel(start, step, Math.ceil((to - start) / step));
	}

	/** The span that a live window asks for now: whole columns, so that the answer replaces them. Null: the range is held. */
	nextSpan(model: GridModel, now: number): Span | null {
		if (this.look.from) return null;
		const { step } = model,
			since = Math.max(model.from, Math.min(now, this.newest || now) - AGAIN_S - step);
		return { from: Math.floor(since / step) * step, to: Math.ceil((now + 1) / step) * step };
	}

	/** Takes an answer into the window, which slides so that it ends at `to`. */
	take(model: GridModel, lines: readonly GridLine[], to: number): void {
		model.slide(to);
		model.merge(lines);
		this.model = model;
		for (let column = model.columns - 1; column >= 0; column--)
			if (model.cells[column]!.size) {
				this.newest = model.from + column * model.step;
				break;
			}
	}

	/**
	 * Orders the hosts, outliers first. Rows keep their places for a while: the medians of hundreds take longer than the
	 * picture, and lines that jump cannot be read. ms: of a clock that only grows. Returns whether the order is new.
	 */
	order(ms: number): boolean {
		const { model, ordered } = this,
			first = this.outliers.map((outlier) => outlier.host),
			key = `${model?.hosts.size} ${first.join()}`;
		if (!model || (model === ordered.model && key === ordered.key && ms < ordered.at + ORDER_MS)) return false;
		this.ordered = { model, key, at: ms };
		this.hosts = model.order(first);
		return true;
	}

	/** The next order() is a new one. */
	forgetOrder(): void {
		this.ordered.model = null;
	}

	// -- words --

	get summary(): string {
		return `${number(this.model?.hosts.size ?? 0)} hosts`;
	}

	get mode(): string {
		return this.look.from ? "held" : "live";
	}

	/** A cell of a host in words; null: there is no window. */
	cellText(host: string, column: number): CellText | null {
		const { model, look } = this;
		if (!model) return null;
		const bucket = model.hosts.get(host)?.[column] ?? NOTHING,
			label = QUANTILES.find(([quantile]) => quantile === look.quantile)?.[1] ?? "";
		return {
			title: host,
			time: clockText(model.from + column * model.step, true),
			value: bucket === NOTHING ? "nothing" : `${look.tracker} ${label} ${amount(bucketBound(bucket), "ns")}`,
		};
	}
}
