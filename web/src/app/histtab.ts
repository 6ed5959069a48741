// SPDX-License-Identifier: Apache-2.0
// Distributions of a recording, of stretches of it, and of keys, in the page.
import { api, Params, RecordingInfo } from "./api.js";
import { TabName } from "./pictures.js";
import {
	histChoice,
	histName,
	histWanted,
	origin,
	putStretch,
	rangeParam,
	Source,
	Stretch,
	stretchText,
	tabLink,
	takeStretch,
} from "./stretch.js";
import { focusPicture, NO_VALUES, savePicture, TabFrame } from "./tabframe.js";
import { replaceChildren, makeSpacer, makeButton, makeGroup, makeSelect } from "../element.js";
import { HistHead, HistPanel } from "../histpanel.js";
import { keyCss } from "../keycolour.js";

const KEYS = 6,
	CURVES = 8; // that are told apart: HIST_MAX_SERIES

export class HistTab {
	readonly panel = new HistPanel();
	private readonly frame = new TabFrame(this.panel.element, () => this.onLink());
	readonly element = this.frame.element;
	private source: Source | null = null;
	private by = "";
	private byKey = false;
	private whole = false; // beside the stretches
	private stretches: Stretch[] = [];
	private others: RecordingInfo[] = [];
	private other = ""; // another recording, all of it beside all of this one
	private asked = 0;
	onLink: () => void = () => {};

	constructor() {
		this.panel.onChange = () => this.frame.linkSoon();
	}

	async show(source: Source, _: TabName, query: URLSearchParams): Promise<void> {
		const count = ++this.asked;
		const all = await api.recordings().catch(() => null);
		if (count !== this.asked) return;
		this.source = source;
		this.others = (all?.recordings ?? []).filter((recording) => recording.id !== source.id);
		this.by = histWanted(source, query.get("by"));
		this.byKey = query.has("keys");
		this.whole = query.has("whole");
		this.other = this.others.find((recording) => recording.id === query.get("other"))?.id ?? "";
		this.stretches = this.other
			? []
			: ([takeStretch(source, query.get("at")), takeStretch(source, query.get("and"))].filter(
					(stretch) => stretch !== null,
				) as Stretch[]);
		if (query.get("shows") === "sum") this.panel.showAs("sum");
		await this.read();
	}

	/** What is compared, as words: nothing, when it is all of the recording. */
	private names(): string[] {
		const source = this.source!;
		return this.stretches.length
			? [
					...this.stretches.map((stretch) => stretchText(source, stretch)),
					...(this.whole ? ["all of the recording"] : []),
				]
			: [];
	}

	private params(): Params {
		const source = this.source!,
			all = source.info.extent ? { from: source.info.begun, to: source.info.extent[1] + 1e9 } : null;
		const ranges = [...this.stretches, ...(this.whole && all ? [all] : [])].map((stretch) =>
			rangeParam(source, stretch),
		);
		const several = this.other ? 2 : Math.max(1, ranges.length);
		return {
			by: this.by,
			other: this.other,
			keys: this.byKey ? Math.min(KEYS, Math.floor(CURVES / several)) : undefined,
			range: this.stretches.length ? ranges.join(",") : undefined,
		};
	}

	private async read(): Promise<void> {
		const source = this.source!,
			count = ++this.asked,
			params = this.params();
		this.drawBar();
		if (!this.by) {
			this.frame.say(NO_VALUES);
			return;
		}
		this.frame.say("Reading…");
		try {
			const head = await api.view<HistHead>(source.id, "hist.json", params);
			if (count !== this.asked) return;
			this.rename(head, typeof params["range"] === "string" ? params["range"].split(",") : []);
			this.panel.origin = `from ${origin(source, this.by, "hist")}${this.other ? ` and of ${this.other}` : ""}`;
			this.frame.say("");
			this.panel.show(head);
		} catch (error) {
			if (count === this.asked) this.frame.failed(source, "No distribution", error, []);
			return;
		}
		this.frame.summary.textContent = this.panel.summary();
		const summary = this.panel.summary();
		this.frame.mark(summary.includes("lost"), summary.includes("left out"));
		focusPicture(this.panel.canvas);
	}

	/** Series have the name of their stretch as a clock has it, and of their key, with its colour. */
	private rename(head: HistHead, ranges: string[]): void {
		const names = this.names();
		head.title = this.by;
		for (const series of head.series) {
			const at = ranges.findIndex((range) => series.name.startsWith(range)),
				key = at < 0 ? series.name : series.name.slice(ranges[at]!.length).replace(/^ · /, "");
			if (this.byKey && key && names.length < 2 && !this.other) series.colour = keyCss(key);
			series.name = at < 0 ? series.name : names[at]! + (key ? " · " + key : "");
		}
	}

	private again(): void {
		this.onLink();
		void this.read();
	}

	private drawBar(): void {
		const source = this.source!,
			all = [
				histChoice(source, "Distribution of", this.by, (name) => {
					this.by = name;
					this.again();
				}),
			];
		if (source.info.histograms.find((histogram) => histName(histogram) === this.by)?.keys)
			all.push(
				makeGroup(
					[
						[false, "together", "all keys in one"],
						[true, "by key", "the keys with most values, each by itself"],
					] as const,
					(value) => value === this.byKey,
					(value) => {
						this.byKey = value;
						this.again();
					},
				).element,
			);
		if (this.stretches.length) {
			all.push(
				makeGroup(
					[
						[false, this.stretches.length > 1 ? "the two ranges" : "the range", "only what was chosen"],
						[true, "and everything", "all of the recording beside it"],
					] as const,
					(value) => value === this.whole,
					(value) => {
						this.whole = value;
						this.again();
					},
				).element,
				makeButton("Everything", "all of the recording", () => {
					this.stretches = [];
					this.again();
				}),
				tabLink(source, "timeline", "Timeline", "what threads did in this range", {
					at: putStretch(source, this.stretches[0]!),
				}),
			);
		}
		if (this.others.length)
			all.push(
				makeSelect(
					"Compare with another recording",
					[["", "compare with…"], ...this.others.map((recording) => [recording.id, recording.name] as const)],
					this.other,
					(id) => {
						this.other = id;
						this.stretches = [];
						this.again();
					},
				),
			);
		replaceChildren(this.frame.bar, ...all, makeSpacer(), savePicture(source.id, "hist", this.params()));
	}

	get query(): URLSearchParams {
		const query = new URLSearchParams(),
			source = this.source,
			[at, and] = this.stretches;
		if (!source) return query;
		if (this.by) query.set("by", this.by);
		if (this.byKey) query.set("keys", "1");
		if (at) query.set("at", putStretch(source, at));
		if (and) query.set("and", putStretch(source, and));
		if (this.whole) query.set("whole", "1");
		if (this.other) query.set("other", this.other);
		if (this.panel.shown === "sum") query.set("shows", "sum");
		return query;
	}

	key(event: KeyboardEvent): boolean {
		return this.panel.key(event);
	}
}
