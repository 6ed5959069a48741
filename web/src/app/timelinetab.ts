// SPDX-License-Identifier: Apache-2.0
// Threads or processes of a recording over time, in the page.
import { api, Params } from "./api.js";
import { TabName } from "./pictures.js";
import { programNames, putStretch, Source, Stretch, stretchText, tabLink, takeStretch, times } from "./stretch.js";
import { focusPicture, savePicture, TabFrame } from "./tabframe.js";
import { unpack } from "../bytes.js";
import { fill, grow, make, makeButton } from "../dom.js";
import { TimelineHead } from "../timelinemodel.js";
import { TimelinePanel } from "../timelinepanel.js";

const MINUTE = 60e9, PART = 8; // of what is too large

export class TimelineTab {
	readonly panel = new TimelinePanel();
	private readonly frame = new TabFrame(this.panel.element, () => this.onLink());
	readonly element = this.frame.element;
	private source: Source | null = null;
	private name: TabName = "timeline";
	private at: Stretch | null = null;
	private asked = 0;
	onLink: () => void = () => {};

	constructor() {
		this.panel.onChange = () => this.frame.linkSoon();
	}

	async show(s: Source, name: TabName, q: URLSearchParams): Promise<void> {
		this.source = s;
		this.name = name;
		this.at = takeStretch(s, q.get("at")) ?? (s.id === "live" && !q.has("all") ? this.minute(s) : null);
		await this.read(q);
	}

	/** The last one of the live view. */
	private minute(s: Source): Stretch | null {
		const to = s.info.extent?.[1];
		return to ? { from: Math.max(s.info.begun, to - MINUTE), to } : null;
	}

	private async read(q: URLSearchParams): Promise<void> {
		const s = this.source!, n = ++this.asked, what = this.name === "processes" ? "No processes" : "No timeline";
		this.drawBar();
		this.frame.say("Reading…");
		try {
			const d = await api.view<TimelineHead & { texts: string, intervals: string }>(s.id, this.name + ".json", this.params());
			const [texts, intervals] = await Promise.all([unpack(d.texts), unpack(d.intervals)]);
			if (n !== this.asked)
				return;
			d.title = this.name === "processes" ? "Processes" : "Threads";
			this.panel.origin = `recording ${s.id}, made by ${programNames(s.info.programs)}`;
			this.frame.say("");
			this.panel.show(d, texts, intervals);
		} catch (e) {
			if (n === this.asked)
				this.frame.failed(s, what, e, [makeButton("Its first part", "an eighth of the time", () => this.goto(this.firstPart()))]);
			return;
		}
		this.restore(q);
		this.frame.summary.textContent = this.panel.summary();
		this.frame.summary.classList.toggle("lossy", this.panel.head!.lost > 0 || this.panel.head!.leftOut > 0);
		focusPicture(this.panel.view.canvas);
	}

	/** What of it the address wants to be seen. */
	private restore(q: URLSearchParams): void {
		const s = this.source!, see = takeStretch(s, q.get("see")), h = this.panel.head!;
		if (q.get("find"))
			this.panel.find(q.get("find")!);
		if (see)
			this.panel.view.zoom(see.from - h.origin, see.to - h.origin);
	}

	private firstPart(): Stretch | null {
		const [from, to] = this.at ? [this.at.from, this.at.to] : this.source!.info.extent ?? [0, 0];
		return to > from ? { from, to: from + (to - from) / PART } : null;
	}

	private goto(at: Stretch | null): void {
		this.at = at;
		this.onLink();
		void this.read(new URLSearchParams());
	}

	/** What is seen now. */
	private seen(): Stretch {
		const v = this.panel.view, origin = this.panel.head?.origin ?? 0;
		return { from: Math.floor(origin + v.from), to: Math.ceil(origin + v.to) };
	}

	private params(): Params {
		const s = this.source!;
		return this.at ? times(s, this.at.from, this.at.to) : {};
	}

	private drawBar(): void {
		const s = this.source!, title = make("h3", this.at ? stretchText(s, this.at) : "All of the recording"), more: HTMLElement[] = [];
		if (this.at)
			more.push(makeButton("Everything", "all of the recording", () => this.goto(null)));
		more.push(makeButton("Only what is seen", "read this stretch of time alone: more of it may be drawn", () => this.panel.head && this.goto(this.seen())));
		if (s.id === "live")
			more.push(makeButton("Last minute", "read again: the last minute", () => void this.newest()));
		more.push(tabLink(s, "hist", "Distribution", "how the values of this stretch are distributed", this.at ? { at: putStretch(s, this.at) } : {}));
		fill(this.frame.bar, title, ...more, grow(), savePicture(s.id, this.name, this.params()));
	}

	private async newest(): Promise<void> {
		const s = this.source!;
		s.info = await api.view<Source["info"]>(s.id, "contents.json").catch(() => s.info);
		this.goto(this.minute(s));
	}

	get query(): URLSearchParams {
		const q = new URLSearchParams(), s = this.source, h = this.panel.head, v = this.panel.view;
		if (!s)
			return q;
		if (this.at)
			q.set("at", putStretch(s, this.at));
		else if (s.id === "live")
			q.set("all", "1");
		if (h && (v.from > 0 || v.to < h.length))
			q.set("see", putStretch(s, this.seen()));
		if (this.panel.searched)
			q.set("find", this.panel.searched);
		return q;
	}

	key(e: KeyboardEvent): boolean {
		return this.panel.key(e);
	}
}
