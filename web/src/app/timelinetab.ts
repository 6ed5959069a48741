// SPDX-License-Identifier: Apache-2.0
// Threads or processes of a recording over time, in the page.
import { api, Params } from "./api.js";
import { TabName } from "./pictures.js";
import { programNames, putStretch, Source, Stretch, stretchText, tabLink, takeStretch, times } from "./stretch.js";
import { focusPicture, savePicture, TabFrame } from "./tabframe.js";
import { unpack } from "../bytes.js";
import { replaceChildren, makeSpacer, makeElement, makeButton } from "../element.js";
import { TimelineHead } from "../timelinemodel.js";
import { TimelinePanel } from "../timelinepanel.js";

const MINUTE = 60e9,
	PART = 8; // of what is too large

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

	async show(source: Source, name: TabName, query: URLSearchParams): Promise<void> {
		this.source = source;
		this.name = name;
		this.at =
			takeStretch(source, query.get("at")) ??
			(source.id === "live" && !query.has("all") ? this.minute(source) : null);
		await this.read(query);
	}

	/** The last one of the live view. */
	private minute(source: Source): Stretch | null {
		const to = source.info.extent?.[1];
		return to ? { from: Math.max(source.info.begun, to - MINUTE), to } : null;
	}

	private async read(query: URLSearchParams): Promise<void> {
		const source = this.source!,
			count = ++this.asked,
			what = this.name === "processes" ? "No processes" : "No timeline";
		this.drawBar();
		this.frame.say("Reading…");
		try {
			const data = await api.view<TimelineHead & { texts: string; intervals: string }>(
				source.id,
				this.name + ".json",
				this.params(),
			);
			const [texts, intervals] = await Promise.all([unpack(data.texts), unpack(data.intervals)]);
			if (count !== this.asked) return;
			data.title = this.name === "processes" ? "Processes" : "Threads";
			this.panel.origin = `recording ${source.id}, made by ${programNames(source.info.programs)}`;
			this.frame.say("");
			this.panel.show(data, texts, intervals);
		} catch (error) {
			if (count === this.asked)
				this.frame.failed(source, what, error, [
					makeButton("Its first part", "an eighth of the time", () => this.goto(this.firstPart())),
				]);
			return;
		}
		this.restore(query);
		this.frame.summary.textContent = this.panel.summary();
		this.frame.mark(this.panel.head!.lost > 0, this.panel.head!.leftOut + this.panel.head!.leftOutRows > 0);
		focusPicture(this.panel.view.canvas);
	}

	/** What of it the address wants to be seen. */
	private restore(query: URLSearchParams): void {
		const source = this.source!,
			see = takeStretch(source, query.get("see")),
			head = this.panel.head!;
		if (query.get("find")) this.panel.find(query.get("find")!);
		if (see) this.panel.view.zoom(see.from - head.origin, see.to - head.origin);
	}

	private firstPart(): Stretch | null {
		const [from, to] = this.at ? [this.at.from, this.at.to] : (this.source!.info.extent ?? [0, 0]);
		return to > from ? { from, to: from + (to - from) / PART } : null;
	}

	private goto(at: Stretch | null): void {
		this.at = at;
		this.onLink();
		void this.read(new URLSearchParams());
	}

	/** What is seen now. */
	private seen(): Stretch {
		const view = this.panel.view,
			origin = this.panel.head?.origin ?? 0;
		return { from: Math.floor(origin + view.from), to: Math.ceil(origin + view.to) };
	}

	private params(): Params {
		const source = this.source!;
		return this.at ? times(source, this.at.from, this.at.to) : {};
	}

	private drawBar(): void {
		const source = this.source!,
			title = makeElement("h3", this.at ? stretchText(source, this.at) : "All of the recording"),
			more: HTMLElement[] = [];
		if (this.at) more.push(makeButton("Everything", "all of the recording", () => this.goto(null)));
		more.push(
			makeButton(
				"Only what is seen",
				"read this stretch of time alone: more of it may be drawn",
				() => this.panel.head && this.goto(this.seen()),
			),
		);
		if (source.id === "live")
			more.push(makeButton("Last minute", "read again: the last minute", () => void this.newest()));
		more.push(
			tabLink(
				source,
				"hist",
				"Distribution",
				"how the values of this stretch are distributed",
				this.at ? { at: putStretch(source, this.at) } : {},
			),
		);
		replaceChildren(this.frame.bar, title, ...more, makeSpacer(), savePicture(source.id, this.name, this.params()));
	}

	private async newest(): Promise<void> {
		const source = this.source!;
		source.info = await api.view<Source["info"]>(source.id, "contents.json").catch(() => source.info);
		this.goto(this.minute(source));
	}

	get query(): URLSearchParams {
		const query = new URLSearchParams(),
			source = this.source,
			head = this.panel.head,
			view = this.panel.view;
		if (!source) return query;
		if (this.at) query.set("at", putStretch(source, this.at));
		else if (source.id === "live") query.set("all", "1");
		if (head && (view.from > 0 || view.to < head.length)) query.set("see", putStretch(source, this.seen()));
		if (this.panel.searched) query.set("find", this.panel.searched);
		return query;
	}

	key(event: KeyboardEvent): boolean {
		return this.panel.key(event);
	}
}
