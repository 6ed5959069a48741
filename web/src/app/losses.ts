// SPDX-License-Identifier: Apache-2.0
// What a run did not see: events that were lost, events that a limit left out, and what an idle CPU did not do, which
// is no loss. Knows no page.
import { Line, LossKind } from "./api.js";
import { number, percent } from "../amount.js";

export interface Loss {
	kind: LossKind;
	count: number;
	/** What is missing, without the number. */
	what: string;
}

/** Losses of one kind in words. */
export interface LossText {
	kind: LossKind;
	text: string;
}

const ORDER: readonly LossKind[] = ["lost", "left out", "no loss"];

/** What losses are added up by: the tag, and the tracker where there is one. */
export function lossKey(line: Line): string {
	return `${line.tag ?? ""} ${/^tracker (\w+):/.exec(line.text ?? "")?.[1] ?? ""}`;
}

/** A line of type "drop" without its number, its probe and its CPU, so that lines of the same kind can be added up. */
export function lossOf(line: Line): Loss {
	return {
		kind: line.kind ?? "lost",
		count: line.count ?? 0,
		what: (line.text ?? "lost").replace(/^(tracker \w+: )?\d+ /, "$1").replace(/ (by \S+:\S*|on CPU \d+)$/, ""),
	};
}

export class Losses {
	private readonly byTag = new Map<string, Loss>();

	/** Adds the count to that of the same tag; the newest words stand. */
	add(tag: string, loss: Loss): void {
		this.byTag.set(tag, { ...loss, count: (this.byTag.get(tag)?.count ?? 0) + loss.count });
	}

	delete(tag: string): void {
		this.byTag.delete(tag);
	}

	clear(): void {
		this.byTag.clear();
	}

	has(kind: LossKind): boolean {
		return [...this.byTag.values()].some((loss) => loss.kind === kind);
	}

	/** Kinds that there are, the worst first. */
	get texts(): LossText[] {
		return ORDER.flatMap((kind) => {
			const words = [...this.byTag.values()]
				.filter((loss) => loss.kind === kind)
				.map(({ count, what }) => (count ? `${number(count)} ${what}` : what));
			return words.length ? [{ kind, text: words.join(" · ") }] : [];
		});
	}
}

/** What a recording says of the events that it does not have. */
export interface Missing {
	lost: number;
	left_out: number;
	timer_due: number;
	timer_idle: number;
}

/** The same in sentences. */
export function missingTexts(missing: Missing): LossText[] {
	const { lost, left_out: leftOut, timer_due: due, timer_idle: idle } = missing,
		texts: LossText[] = [];
	if (lost)
		texts.push({ kind: "lost", text: `${number(lost)} events were lost: the pictures do not show everything.` });
	if (leftOut) texts.push({ kind: "left out", text: `${number(leftOut)} events were left out by a limit.` });
	if (idle && due)
		texts.push({
			kind: "no loss",
			text: `CPUs were idle in ${percent(idle / due)} of ${number(due)} timer samples. Idle time is no loss.`,
		});
	return texts;
}
