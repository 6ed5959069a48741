// SPDX-License-Identifier: Apache-2.0
// Shows the live view: which threads wait, for how long and for what. A heat map for each tracker, slow events as they
// come, the stacks of the last minute, and a range of a heat map looked at closely. What is known is LiveModel's, the
// trackers are run by LiveRun.
import { api, ApiError, viewUrl } from "./api.js";
import { CauseTable } from "./causetable.js";
import { ChosenRange, overviewLink } from "./chosenrange.js";
import { COLUMNS } from "./heatdata.js";
import { LiveModel, TRACKERS } from "./livemodel.js";
import { LiveRun } from "./liverun.js";
import { LiveStacks } from "./livestacks.js";
import { tabLinks } from "./pictures.js";
import { RangeView } from "./rangeview.js";
import { takeSelection } from "./selection.js";
import { SlowTable } from "./slowtable.js";
import { CONNECTION_LOST, StatusLine } from "./statusline.js";
import { Source } from "./stretch.js";
import { NUMBERS, TrackerPane } from "./trackerpane.js";
import { errorMessage, makeButton, makeElement, makeLink, makeSave, makeTable } from "../element.js";

const SLOW_SHOWN = 60,
	DRAW_MS = 200,
	FORBIDDEN = 403;

export class Overview {
	readonly element = makeElement("section", "", "overview");
	readonly range = new RangeView();
	readonly model = new LiveModel();
	readonly panes = new Map<string, TrackerPane>();
	onProgram: (text: string) => void = () => {};
	onLink: (link: string) => void = () => {};
	private readonly note = makeElement("p", "Waiting for the first events…", "muted note");
	private readonly top = makeElement("div", "", "top");
	private readonly content = makeElement("div", "", "live");
	private readonly save = makeSave(
		"Save what is recorded so far",
		viewUrl("live", "recording"),
		"the recording of this view as a file: the last ten minutes at most; any dwell shows it",
		"button empty",
	);
	private readonly status = new StatusLine();
	private readonly causes = new CauseTable();
	private readonly slow = new SlowTable();
	private readonly stacks = new LiveStacks();
	private readonly live = new LiveRun(this.model);
	private wanted: URLSearchParams | null = null; // a range of the address, until there is a recording
	private pending = 0;
	private selected: ChosenRange | null = null;

	constructor() {
		this.top.append(tabLinks("live", "", "#overview"), this.save);
		this.content.append(
			this.status.element,
			this.causes.element,
			this.makePanes(),
			this.range.element,
			this.slow.element,
			this.stacks.element,
		);
		this.element.append(this.top, this.note, this.content);
		this.status.onRestart = () => this.live.restart();
		this.slow.onToggle = () => this.drawSlow();
		this.stacks.onChange = () => void this.drawStacks(false);
		this.range.onClose = () => this.select(null);
		this.range.onProgram = ({ tracker }, clause) => void this.toProgram(tracker, clause);
		this.range.onChange = () => this.onLink(this.link);
		this.wire(this.live);
	}

	private wire(live: LiveRun): void {
		live.onStart = () => this.drawReasons();
		live.onRefused = (error) => this.refused(error);
		live.onLine = () => this.redraw();
		live.onConnected = () => this.connect();
		live.onRecording = () => this.save.classList.remove("empty");
		live.onNoRecording = () =>
			this.stacks.say("There is no recording of this view: ranges and stacks cannot be shown.");
		live.onRefresh = (source) => this.refresh(source);
		live.onEnd = (why) => this.ended(why);
	}

	private makePanes(): HTMLElement {
		const time = `delays, from ${COLUMNS / 60} minutes ago to now`,
			numbers = NUMBERS.map((text) => [text, "n"] as const),
			{ table, body } = makeTable("trackers", [["tracker"], [time], ...numbers]);
		table.rows[0]!.cells[2]!.title = "how many there are at the same time, on average of the last ten seconds";
		for (const [name, what] of TRACKERS) {
			const state = this.model.trackers.get(name)!,
				pane = new TrackerPane(state, what);
			this.panes.set(name, pane);
			pane.strip.onRange = (range) => this.select(range && new ChosenRange(name, range));
			pane.strip.gap = (second) => this.model.gap(state, second);
			body.append(pane.row);
		}
		return table;
	}

	/** The newest second; for tests, too. */
	get now(): number {
		return this.model.now;
	}

	/** The recording of the live view; null: there is none yet. */
	get source(): Source | null {
		return this.live.source;
	}

	/** The number of the run; for tests. */
	get run(): number {
		return this.live.number;
	}

	// -- the run --

	start(): Promise<void> {
		return this.live.start();
	}

	private async refresh(source: Source): Promise<void> {
		if (!this.element.hidden && !document.hidden)
			await Promise.all([this.drawStacks(true), this.status.readCost(source, this.now), this.restore()]);
	}

	private async drawStacks(again: boolean): Promise<void> {
		if (this.source) await this.stacks.draw(this.source, this.now, again);
	}

	/** Once there is something to see, it stays where it is, and the first line says that it is old. */
	private connect(): void {
		const { isConnected } = this.live;
		this.say(isConnected || this.now ? "" : CONNECTION_LOST, !isConnected);
		if (this.now) this.status.draw(this.model, isConnected);
	}

	/** There is no live view. */
	private refused(error: unknown): void {
		const forbidden = error instanceof ApiError && error.status === FORBIDDEN;
		this.content.hidden = this.top.hidden = forbidden;
		if (forbidden) {
			this.say(
				"Nothing is traced. Start the server with `sudo dwell serve` to see what is slow now, or open ",
				false,
			);
			this.note.append(makeLink("a recording", "#recording"), ".");
		} else {
			this.say(errorMessage(error), true);
			this.offerStart("Try again");
		}
	}

	private offerStart(text: string): void {
		this.note.append(
			" ",
			makeButton(text, "start the trackers", () => void this.start()),
		);
	}

	private say(text: string, bad: boolean): void {
		this.note.textContent = text;
		this.note.hidden = !text;
		this.note.classList.toggle("bad", bad);
	}

	private ended(why: string | null): void {
		this.save.classList.add("empty");
		this.range.hide();
		if (why === null) return;
		this.say(why, true);
		this.offerStart("Start again");
	}

	// -- drawing --

	private redraw(): void {
		this.pending ||= window.setTimeout(() => {
			requestAnimationFrame(() => {
				this.pending = 0;
				this.draw();
			});
		}, DRAW_MS);
	}

	private draw(): void {
		const { model } = this,
			since = model.minuteAgo;
		if (!model.now) return;
		if (!this.note.classList.contains("bad")) this.note.hidden = true;
		if (!this.selected) for (const pane of this.panes.values()) pane.draw(model.now);
		this.drawReasons();
		this.causes.draw(model.slow.causes(since), since, (name) => model.slowOrigin(name));
		this.drawSlow();
		this.status.draw(model, this.live.isConnected);
		this.slow.drawLosses(model.losses.texts);
	}

	private drawReasons(): void {
		for (const pane of this.panes.values()) pane.drawReasons();
	}

	private drawSlow(): void {
		const { model, selected } = this;
		this.slow.draw(
			model.slowEvents(
				SLOW_SHOWN,
				(event) => (!selected || selected.has(event)) && (this.slow.showsIdle || !event.idle),
			),
			model.newest,
			(name) => model.slowOrigin(name),
			selected ? "no slow event in this range" : "none so far",
		);
	}

	// -- a range of a heat map --

	private select(chosen: ChosenRange | null): void {
		for (const [name, pane] of this.panes) if (name !== chosen?.tracker) pane.strip.clear();
		this.selected = chosen;
		if (!chosen) this.range.hide();
		else if (this.source) this.range.choose(this.source, chosen.selection);
		this.onLink(this.link);
		this.draw();
	}

	private async toProgram(tracker: string, clause: string): Promise<void> {
		const program = await api.tracker(tracker).catch(() => null);
		this.onProgram(`${program?.text ?? ""}\n${clause}`);
	}

	// -- addresses --

	/** The part of the address that says what is chosen. */
	get link(): string {
		const { range, other, stacks } = this.range.shown;
		return overviewLink(this.source, range, other, stacks);
	}

	/** Shows what an address says, as soon as there is something. */
	want(query: URLSearchParams): void {
		this.wanted = query.has("of") ? query : null;
		if (this.source) void this.restore();
	}

	private async restore(): Promise<void> {
		const { source, wanted } = this;
		if (!wanted || !source) return;
		this.wanted = null;
		const [range, other] = takeSelection(wanted, source),
			pane = range && this.panes.get(range.tracker);
		if (!range || !pane) return;
		this.selected = ChosenRange.of(range);
		pane.strip.range = this.selected.range;
		this.range.show(source, range, other, wanted.get("stacks") ?? "");
		pane.strip.draw();
	}
}
