// SPDX-License-Identifier: Apache-2.0
// The live view: which threads wait, for how long and for what. A heat map for each tracker, slow events as they come,
// the stacks of the last minute, and a range of a heat map looked at closely.
import { api, ApiError, Contents, viewUrl, watch } from "./api.js";
import { CauseTable } from "./causetable.js";
import { COLUMNS, Range, rowOf, rowRange } from "./heatdata.js";
import { LiveModel, TRACKERS } from "./livemodel.js";
import { LiveStacks } from "./livestacks.js";
import { complaints } from "./output.js";
import { tabLinks } from "./pictures.js";
import { RangeView } from "./rangeview.js";
import { putSelection, takeSelection } from "./selection.js";
import { SlowEvent } from "./slowevents.js";
import { SlowTable } from "./slowtable.js";
import { CONNECTION_LOST, StatusLine } from "./statusline.js";
import { Source } from "./stretch.js";
import { NUMBERS, TrackerPane } from "./trackerpane.js";
import { SECOND } from "./trackerstate.js";
import { errorMessage, makeButton, makeElement, makeLink, makeSave, makeTable } from "../element.js";
import { sleep } from "../math.js";

const SLOW_SHOWN = 60,
	REFRESH_MS = 10000,
	CONTENTS_MS = 500,
	CONTENTS_TRIES = 20, // until the page says that there is no recording
	DRAW_MS = 200,
	COMPLAINTS = 8,
	FORBIDDEN = 403;

export class Overview {
	readonly element = makeElement("section", "", "overview");
	readonly range = new RangeView();
	readonly model = new LiveModel();
	readonly panes = new Map<string, TrackerPane>();
	source: Source | null = null;
	connected = true;
	onProgram: (text: string) => void = () => {};
	onLink: (link: string) => void = () => {};
	private readonly note = makeElement("p", "Waiting for the first events…", "muted note");
	private readonly top = makeElement("div", "", "top");
	private readonly live = makeElement("div", "", "live");
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
	private wanted: URLSearchParams | null = null; // a range of the address, until there is a recording
	private run = 0;
	private unwatch: () => void = () => {};
	private pending = 0;
	private selected: { pane: TrackerPane; range: Range } | null = null;
	private restarting = false; // the trackers start again when they have ended

	constructor() {
		this.top.append(tabLinks("live", "", "#overview"), this.save);
		this.live.append(
			this.status.element,
			this.causes.element,
			this.makePanes(),
			this.range.element,
			this.slow.element,
			this.stacks.element,
		);
		this.element.append(this.top, this.note, this.live);
		this.status.onRestart = () => {
			this.restarting = true;
			void api.stop(this.run);
		};
		this.slow.onToggle = () => this.drawSlow();
		this.stacks.onChange = () => void this.drawStacks(false);
		this.range.onClose = () => this.select(null, null);
		this.range.onProgram = ({ tracker }, clause) => void this.toProgram(tracker, clause);
		this.range.onChange = () => this.onLink(this.link);
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
			pane.strip.onRange = (range) => this.select(pane, range);
			pane.strip.gap = (second) => this.model.gap(state, second);
			body.append(pane.row);
		}
		return table;
	}

	/** The newest second; for tests, too. */
	get now(): number {
		return this.model.now;
	}

	// -- the run --

	async start(): Promise<void> {
		if (this.run) return;
		try {
			this.run = await api.overview();
		} catch (error) {
			this.refused(error);
			return;
		}
		this.restarting = false;
		this.model.restart();
		this.drawReasons();
		void this.follow(this.run);
		this.unwatch = watch(this.run, {
			line: (line) => {
				this.model.take(line);
				this.redraw();
			},
			lost: (count) => this.model.takeForgotten(count),
			end: (text) => this.ended(text),
			connected: (yes) => this.connect(yes),
		});
	}

	/** Reads from the recording of the live view, which is there a moment after the view has begun. */
	private async follow(run: number): Promise<void> {
		for (let tries = 1; run === this.run && !(await this.openRecording()); tries++) {
			if (tries === CONTENTS_TRIES)
				this.stacks.say("There is no recording of this view: ranges and stacks cannot be shown.");
			await sleep(CONTENTS_MS);
		}
		while (run === this.run) {
			await this.refresh();
			await sleep(REFRESH_MS);
		}
	}

	/** Whether the recording is there and has something. */
	private async openRecording(): Promise<boolean> {
		const run = this.run,
			info = await api.view<Contents>("live", "contents.json").catch(() => null);
		if (run !== this.run || !info?.histograms.length || !info.stacks.length || !this.now) return false;
		this.source = { id: "live", info };
		this.save.classList.remove("empty");
		return true;
	}

	private async refresh(): Promise<void> {
		const { source } = this;
		if (!source) return;
		if (!this.element.hidden && !document.hidden)
			await Promise.all([this.drawStacks(true), this.status.readCost(source, this.now), this.restore()]);
		source.info = await api.view<Contents>("live", "contents.json").catch(() => source.info);
	}

	private async drawStacks(again: boolean): Promise<void> {
		if (this.source) await this.stacks.draw(this.source, this.now, again);
	}

	/** Once there is something to see, it stays where it is, and the first line says that it is old. */
	private connect(connected: boolean): void {
		this.connected = connected;
		this.say(connected || this.now ? "" : CONNECTION_LOST, !connected);
		if (this.now) this.status.draw(this.model, connected);
	}

	/** There is no live view. */
	private refused(error: unknown): void {
		const forbidden = error instanceof ApiError && error.status === FORBIDDEN;
		this.live.hidden = this.top.hidden = forbidden;
		if (forbidden) {
			this.say(
				"Nothing is traced. Start the server with `sudo dwell serve` to see what is slow now, or open ",
				false,
			);
			this.note.append(makeLink("a recording", "#recording"), ".");
		} else {
			this.say(errorMessage(error), true);
			this.note.append(
				" ",
				makeButton("Try again", "start the trackers", () => void this.start()),
			);
		}
	}

	private say(text: string, bad: boolean): void {
		this.note.textContent = text;
		this.note.hidden = !text;
		this.note.classList.toggle("bad", bad);
	}

	private ended(messages: string | null): void {
		const { errors } = this.model;
		this.unwatch();
		this.run = 0;
		this.source = null;
		this.save.classList.add("empty");
		this.range.hide();
		if (this.restarting) {
			void this.start();
			return;
		}
		const why = (errors.length ? errors : complaints(messages).slice(-COMPLAINTS)).join("\n"),
			help = why ? "\n`dwell features` says what this kernel can do." : "";
		this.say(`The trackers have ended. ${why}${help}`, true);
		this.note.append(
			" ",
			makeButton("Start again", "start the trackers", () => void this.start()),
		);
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
		this.status.draw(model, this.connected);
		this.slow.drawLosses(model.losses.texts);
	}

	private drawReasons(): void {
		for (const pane of this.panes.values()) pane.drawReasons();
	}

	private drawSlow(): void {
		const { model } = this,
			filter = (event: SlowEvent) => this.isInRange(event) && (this.slow.showsIdle || !event.idle);
		this.slow.draw(
			model.slowEvents(SLOW_SHOWN, filter),
			model.newest,
			(name) => model.slowOrigin(name),
			this.selected ? "no slow event in this range" : "none so far",
		);
	}

	// -- a range of a heat map --

	private isInRange({ tracker, end, delay }: SlowEvent): boolean {
		if (!this.selected) return true;
		const { pane, range } = this.selected,
			second = Math.floor(end / SECOND),
			isInTime = second >= range.from && second <= range.to;
		return (
			tracker === pane.state.name &&
			isInTime &&
			delay >= rowRange(range.low)[0] &&
			delay < rowRange(range.high)[1]
		);
	}

	private select(pane: TrackerPane | null, range: Range | null): void {
		for (const other of this.panes.values()) if (other !== pane || !range) other.strip.clear();
		this.selected = pane && range ? { pane, range } : null;
		if (!pane || !range) this.range.hide();
		else if (this.source)
			this.range.choose(this.source, {
				tracker: pane.state.name,
				from: range.from * SECOND,
				to: (range.to + 1) * SECOND,
				low: rowRange(range.low)[0],
				high: rowRange(range.high)[1],
			});
		this.onLink(this.link);
		this.draw();
	}

	private async toProgram(tracker: string, clause: string): Promise<void> {
		const program = await api.tracker(tracker).catch(() => null);
		this.onProgram(`${program?.text ?? ""}\n${clause}`);
	}

	// -- addresses --

	/** The part of the address that says what is chosen; times of the calendar, which mean the same in every run. */
	get link(): string {
		const { range, other, stacks } = this.range.shown,
			query = new URLSearchParams();
		if (range && this.source) putSelection(query, this.source, range, other, stacks);
		return query.size ? `overview?${query.toString()}` : "overview";
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
		pane.strip.range = {
			from: Math.round(range.from / SECOND),
			to: Math.round(range.to / SECOND) - 1,
			low: rowOf(range.low + 1),
			high: rowOf(range.high - 1),
		};
		this.selected = { pane, range: pane.strip.range };
		this.range.show(source, range, other, wanted.get("stacks") ?? "");
		pane.strip.draw();
	}
}
