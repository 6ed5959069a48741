// SPDX-License-Identifier: Apache-2.0
// A range of a heat map looked at closely: its keys, its slow events, the stacks of exactly these seconds, and the
// clause of D that selects them; and the same compared with another range.
import { api, SlowRow } from "./api.js";
import { Comparison } from "./comparison.js";
import { countsOfCauses, countsOfCells, secondsOf } from "./rangecounts.js";
import { changeTable, keyTable, slowTable } from "./rangetables.js";
import { beforeParams, clauseOf, describeSelection, keyedSource, Selection, slowParams } from "./selection.js";
import { compareShares, Counts, enough, ShareChange } from "./shares.js";
import { StackSection } from "./stacksection.js";
import { origin, Source, stretchLinks, times, wall } from "./stretch.js";
import { number } from "../amount.js";
import { unpack } from "../bytes.js";
import {
	errorMessage,
	makeButton,
	makeElement,
	makeFocusable,
	makeNote,
	makePre,
	makeSpacer,
	replaceChildren,
} from "../element.js";
import { decodeHeat, HeatHead } from "../heatmodel.js";
import { sleep } from "../math.js";

const SLOW_SHOWN = 25,
	SLOW_COUNTED = 5000;
const SECOND = 1e9;
/** The last seconds of a live view are written some seconds later on a busy machine: they are read again. */
const REREADS = 3,
	REREAD_MS = 4000,
	UNSETTLED = 10 * SECOND;

/** A range, and the one that it is compared with. */
interface Shown {
	source: Source;
	range: Selection;
	other: Selection | null;
}

async function readCounts(source: Source, range: Selection): Promise<Counts> {
	const params = { by: keyedSource(source, range.tracker), ...times(source, range.from, range.to), step: "1s" },
		head = await api.view<HeatHead & { cells: string }>(source.id, "heat.json", params),
		planes = decodeHeat(await unpack(head.cells), head),
		first = Math.round((head.begin - wall(source, range.from)) / 1e3);
	return countsOfCells(head, planes, range, secondsOf(range), first);
}

/** Slow events of a range, the longest first. Aggregations have none. */
async function readSlow(source: Source, range: Selection): Promise<SlowRow[]> {
	if (range.tracker.startsWith("@")) return [];
	return api.viewLines<SlowRow>(source.id, "slow.json", slowParams(source, range, SLOW_COUNTED)).catch(() => []);
}

export class RangeView {
	readonly element = makeElement("section", "", "detail-pane");
	readonly comparison = new Comparison();
	/** The next range that is chosen is the one to compare with. */
	picking = false;
	/** How shares of keys changed, for tests. */
	changes: ShareChange[] = [];
	/** program: the whole of it with the clause in its place; null: the clause is to follow the tracker's program. */
	onProgram: (range: Selection, clause: string, program: string | null) => void = () => {};
	onClose: () => void = () => {};
	onChange: () => void = () => {};
	private readonly title = makeElement("h2");
	private readonly bar = makeElement("div", "", "bar");
	private readonly keys = makeElement("div", "", "who");
	private readonly slow = makeElement("div", "", "slow-box");
	private readonly stacks = new StackSection("Stacks of these seconds");
	private readonly code = makePre("", "code");
	private now: Shown | null = null;
	private asked = 0;

	constructor() {
		const columns = makeElement("div", "", "columns");
		this.element.hidden = true;
		this.element.ariaLabel = "Selected range";
		this.element.role = "region";
		makeFocusable(this.keys, "group", "Keys of the range");
		makeFocusable(this.slow, "group", "Slow events of the range");
		columns.append(this.keys, this.slow);
		this.stacks.onChange = () => this.onChange();
		this.element.append(
			this.title,
			this.bar,
			columns,
			this.comparison.element,
			this.stacks.element,
			makeElement("h3", "The clause of D that selects this range"),
			this.code,
		);
	}

	/** What is shown, for tests and addresses. */
	get shown(): { range: Selection | null; other: Selection | null; stacks: string } {
		return { range: this.now?.range ?? null, other: this.now?.other ?? null, stacks: this.stacks.name };
	}

	hide(): void {
		this.now = null;
		this.picking = false;
		this.asked++;
		this.stacks.cancel();
		this.comparison.clear();
		this.element.hidden = true;
	}

	/** Shows a range, or takes it as the one to compare with. */
	choose(source: Source, range: Selection): void {
		if (this.picking && this.now) this.show(source, this.now.range, range, this.stacks.name);
		else this.show(source, range, null, this.stacks.name);
	}

	show(source: Source, range: Selection, other: Selection | null, stacks: string): void {
		const shown = { source, range, other };
		this.now = shown;
		this.picking = false;
		this.stacks.choose(source, stacks);
		this.element.hidden = false;
		this.title.textContent = describeSelection(source, range);
		this.code.textContent =
			clauseOf(source, range)?.clause ?? `No program of this recording adds values to ${range.tracker}.`;
		this.drawBar(shown);
		void this.read(shown, ++this.asked);
		this.onChange();
	}

	/** Reads everything, first what is quick. */
	private async read(shown: Shown, asked: number): Promise<void> {
		const { source, range, other } = shown,
			params = { ...times(source, range.from, range.to), ...beforeParams(source, other) },
			compared = other !== null,
			title = `What sets these seconds apart${compared ? "" : " from the rest of the recording"}`,
			unsettled = source.id === "live" && range.to > (source.info.extent?.[1] ?? 0) - UNSETTLED;
		this.comparison.expect(title);
		await Promise.all([
			this.readTables(shown, asked),
			this.stacks.show({ source, params, title: describeSelection(source, range), compared }),
		]);
		if (asked === this.asked) await this.comparison.show(title, source, params);
		if (unsettled) await this.reread(shown, asked);
	}

	private async reread(shown: Shown, asked: number): Promise<void> {
		for (let i = 0; i < REREADS && asked === this.asked; i++) {
			await sleep(REREAD_MS);
			if (asked === this.asked) await Promise.all([this.readTables(shown, asked), this.stacks.refresh()]);
		}
	}

	private async readTables(shown: Shown, asked: number): Promise<void> {
		await Promise.all([this.readKeys(shown, asked), this.readSlow(shown, asked)]);
	}

	private async readKeys({ source, range, other }: Shown, asked: number): Promise<void> {
		const parts: HTMLElement[] = [makeElement("h3", other ? "Keys, by share of the delays" : "Keys")];
		try {
			const now = await readCounts(source, range),
				before = other ? await readCounts(source, other) : null;
			if (asked !== this.asked) return;
			const from = `from ${origin(source, keyedSource(source, range.tracker), "hist")}, by octave`;
			this.changes = before ? compareShares(before, now) : [];
			parts.push(before ? changeTable(this.changes, from) : keyTable(now, from));
			if (before && !enough(before, now))
				parts.push(makeNote("Less than five seconds: chance cannot be told from change."));
			else if (before && !this.changes.some((change) => change.sure))
				parts.push(makeNote("No share differs by more than chance explains."));
		} catch (error) {
			parts.push(makeNote(errorMessage(error)));
		}
		if (asked === this.asked) replaceChildren(this.keys, ...parts);
	}

	private async readSlow({ source, range, other }: Shown, asked: number): Promise<void> {
		const now = await readSlow(source, range),
			before = other ? await readSlow(source, other) : null;
		if (asked !== this.asked) return;
		const parts: HTMLElement[] = [makeElement("h3", "Slow events")];
		if (other && before) {
			const changes = compareShares(countsOfCauses(before, other), countsOfCauses(now, range));
			parts.push(changeTable(changes, `causes of slow events, from ${origin(source, range.tracker, "slow")}`));
		} else if (now.length) {
			parts.push(slowTable(source, now.slice(0, SLOW_SHOWN)));
		} else {
			parts.push(makeNote("None. Delays below the tracker's threshold are counted, but not kept one by one."));
		}
		if (!before && now.length > SLOW_SHOWN)
			parts.push(makeNote(`${number(now.length - SLOW_SHOWN)} more, all shorter`));
		replaceChildren(this.slow, ...parts);
	}

	private drawBar(shown: Shown): void {
		const { source, range, other } = shown,
			clause = clauseOf(source, range),
			program = makeButton("Program", "open the clause with its program in the editor", () => {
				if (clause) this.onProgram(range, clause.clause, clause.program);
			});
		program.disabled = !clause;
		replaceChildren(
			this.bar,
			...(other ? this.makeCompared(shown, other) : this.makeChoices(shown)),
			makeSpacer(),
			...stretchLinks(source, range.tracker, range, other),
			program,
			makeButton("Show everything", "end the selection (Escape)", () => this.onClose()),
		);
	}

	private makeCompared({ source, range }: Shown, other: Selection): HTMLElement[] {
		const stacks = () => this.stacks.name;
		return [
			makeElement("span", `compared with ${describeSelection(source, other)}`, "versus"),
			makeButton("Swap", "compare the other way round", () => this.show(source, other, range, stacks())),
			makeButton("Without comparison", "this range alone", () => this.show(source, range, null, stacks())),
		];
	}

	private makeChoices({ source, range }: Shown): (HTMLElement | string)[] {
		const earlier = { ...range, from: 2 * range.from - range.to, to: range.from },
			before = makeButton("the time before", "compare with the same length of time just before", () =>
				this.show(source, range, earlier, this.stacks.name),
			),
			another = makeButton("another range", "choose it in a heat map next", () => {
				this.picking = true;
				another.ariaPressed = "true";
			});
		before.disabled = earlier.from < (source.info.extent?.[0] ?? 0);
		return ["Compare with", before, another];
	}
}
