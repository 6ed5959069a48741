// SPDX-License-Identifier: Apache-2.0
// Distributions of a recording, of stretches of it, and of keys, in the page.
import { api, Params, RecordingInfo } from "./api.js";
import { TabName } from "./pictures.js";
import { histChoice, histName, histWanted, origin, putStretch, rangeParam, Source, Stretch, stretchText, tabLink, takeStretch } from "./stretch.js";
import { focusPicture, NO_VALUES, savePicture, TabFrame } from "./tabframe.js";
import { fill, grow, makeButton, makeGroup, makeSelect } from "../dom.js";
import { HistHead, HistPanel } from "../histpanel.js";
import { keyCss } from "../keycolour.js";

const KEYS = 6, CURVES = 8; // that are told apart: HIST_MAX_SERIES

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

	async show(s: Source, _: TabName, q: URLSearchParams): Promise<void> {
		const n = ++this.asked;
		const all = await api.recordings().catch(() => null);
		if (n !== this.asked)
			return;
		this.source = s;
		this.others = (all?.recordings ?? []).filter((r) => r.id !== s.id);
		this.by = histWanted(s, q.get("by"));
		this.byKey = q.has("keys");
		this.whole = q.has("whole");
		this.other = this.others.find((r) => r.id === q.get("other"))?.id ?? "";
		this.stretches = this.other ? [] : [takeStretch(s, q.get("at")), takeStretch(s, q.get("and"))].filter((r) => r !== null) as Stretch[];
		if (q.get("shows") === "sum")
			this.panel.showAs("sum");
		await this.read();
	}

	/** What is compared, as words: nothing, when it is all of the recording. */
	private names(): string[] {
		const s = this.source!;
		return this.stretches.length ? [...this.stretches.map((r) => stretchText(s, r)), ...this.whole ? ["all of the recording"] : []] : [];
	}

	private params(): Params {
		const s = this.source!, all = s.info.extent ? { from: s.info.begun, to: s.info.extent[1] + 1e9 } : null;
		const ranges = [...this.stretches, ...this.whole && all ? [all] : []].map((r) => rangeParam(s, r));
		const several = this.other ? 2 : Math.max(1, ranges.length);
		return { by: this.by, other: this.other, keys: this.byKey ? Math.min(KEYS, Math.floor(CURVES / several)) : undefined, range: this.stretches.length ? ranges.join(",") : undefined };
	}

	private async read(): Promise<void> {
		const s = this.source!, n = ++this.asked, params = this.params();
		this.drawBar();
		if (!this.by) {
			this.frame.say(NO_VALUES);
			return;
		}
		this.frame.say("Reading…");
		try {
			const h = await api.view<HistHead>(s.id, "hist.json", params);
			if (n !== this.asked)
				return;
			this.rename(h, typeof params["range"] === "string" ? params["range"].split(",") : []);
			this.panel.origin = `from ${origin(s, this.by, "hist")}${this.other ? ` and of ${this.other}` : ""}`;
			this.frame.say("");
			this.panel.show(h);
		} catch (e) {
			if (n === this.asked)
				this.frame.failed(s, "No distribution", e, []);
			return;
		}
		this.frame.summary.textContent = this.panel.summary();
		this.frame.summary.classList.toggle("lossy", this.panel.summary().includes("lost"));
		focusPicture(this.panel.canvas);
	}

	/** Series have the name of their stretch as a clock has it, and of their key, with its colour. */
	private rename(h: HistHead, ranges: string[]): void {
		const names = this.names();
		h.title = this.by;
		for (const v of h.series) {
			const at = ranges.findIndex((r) => v.name.startsWith(r)), key = at < 0 ? v.name : v.name.slice(ranges[at]!.length).replace(/^ · /, "");
			if (this.byKey && key && names.length < 2 && !this.other)
				v.colour = keyCss(key);
			v.name = at < 0 ? v.name : names[at]! + (key ? " · " + key : "");
		}
	}

	private again(): void {
		this.onLink();
		void this.read();
	}

	private drawBar(): void {
		const s = this.source!, all = [histChoice(s, "Distribution of", this.by, (name) => {
			this.by = name;
			this.again();
		})];
		if (s.info.histograms.find((h) => histName(h) === this.by)?.keys)
			all.push(makeGroup([[false, "together", "all keys in one"], [true, "by key", "the keys with most values, each by itself"]] as const, (v) => v === this.byKey, (v) => {
				this.byKey = v;
				this.again();
			}).element);
		if (this.stretches.length) {
			all.push(makeGroup([[false, this.stretches.length > 1 ? "the two ranges" : "the range", "only what was chosen"], [true, "and everything", "all of the recording beside it"]] as const,
				(v) => v === this.whole, (v) => {
					this.whole = v;
					this.again();
				}).element, makeButton("Everything", "all of the recording", () => {
				this.stretches = [];
				this.again();
			}), tabLink(s, "timeline", "Timeline", "what threads did in this range", { at: putStretch(s, this.stretches[0]!) }));
		}
		if (this.others.length)
			all.push(makeSelect("Compare with another recording", [["", "compare with…"], ...this.others.map((r) => [r.id, r.name] as const)], this.other, (id) => {
				this.other = id;
				this.stretches = [];
				this.again();
			}));
		fill(this.frame.bar, ...all, grow(), savePicture(s.id, "hist", this.params()));
	}

	get query(): URLSearchParams {
		const q = new URLSearchParams(), s = this.source, [at, and] = this.stretches;
		if (!s)
			return q;
		if (this.by)
			q.set("by", this.by);
		if (this.byKey)
			q.set("keys", "1");
		if (at)
			q.set("at", putStretch(s, at));
		if (and)
			q.set("and", putStretch(s, and));
		if (this.whole)
			q.set("whole", "1");
		if (this.other)
			q.set("other", this.other);
		if (this.panel.shown === "sum")
			q.set("shows", "sum");
		return q;
	}

	key(e: KeyboardEvent): boolean {
		return this.panel.key(e);
	}
}
