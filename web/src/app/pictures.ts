// SPDX-License-Identifier: Apache-2.0
// The views of a recording that fill the page: threads and processes over time, and distributions; of all of it or of a stretch.
import { HistTab } from "./histtab.js";
import { Source } from "./stretch.js";
import { TimelineTab } from "./timelinetab.js";
import { fill, make, makeLink, on } from "../dom.js";

/** "": heat map, stacks, slow events and text. */
const TABS = [["", "Overview"], ["timeline", "Timeline"], ["processes", "Processes"], ["hist", "Distributions"]] as const;
export type TabName = typeof TABS[number][0];

/** One of these views. */
export interface Tab {
	readonly element: HTMLElement;
	show: (s: Source, name: TabName, q: URLSearchParams) => Promise<void>;
	/** What the address is to say of it, behind the "?". */
	readonly query: URLSearchParams;
	/** Whether the key means something there. */
	key: (e: KeyboardEvent) => boolean;
	onLink: () => void;
}

export function tabName(text: string | undefined): TabName {
	return TABS.find(([name]) => name === text)?.[0] ?? "";
}

/** Links to the views of a recording. */
export function tabLinks(id: string, now: TabName | null, first: string): HTMLElement {
	const nav = make("nav", "", "tabs");
	nav.ariaLabel = "Views of the recording";
	for (const [name, text] of TABS) {
		const a = makeLink(text, name ? `#recording/${id}/${name}` : first);
		a.ariaCurrent = name === now ? "page" : null;
		nav.append(a);
	}
	return nav;
}

export class Pictures {
	readonly element = make("div", "", "pictures");
	readonly timeline = new TimelineTab();
	readonly hist = new HistTab();
	private now: Tab | null = null;
	private name: TabName = "";
	private id = "";
	onLink: (link: string) => void = () => {};

	constructor() {
		for (const t of [this.timeline, this.hist] as Tab[])
			t.onLink = () => t === this.now && this.onLink(this.link);
		this.element.hidden = true;
		on(document, "keydown", (e) => this.key(e));
	}

	/** Shows a view; "": none of these. */
	async show(s: Source, name: TabName, q: URLSearchParams): Promise<void> {
		const tab: Tab | null = name === "" ? null : name === "hist" ? this.hist : this.timeline;
		this.name = name;
		this.id = s.id;
		this.now = tab;
		this.element.hidden = tab === null;
		if (tab && tab.element.parentElement !== this.element)
			fill(this.element, tab.element);
		await tab?.show(s, name, q);
	}

	get tab(): TabName { return this.name; }

	get link(): string {
		const q = this.now?.query.toString() ?? "";
		return `recording/${this.id}/${this.name}${q ? "?" + q : ""}`;
	}

	/** Keys are the picture's unless something else of the page has the focus. */
	private key(e: KeyboardEvent): void {
		const focus = document.activeElement, elsewhere = focus && focus !== document.body && !this.element.contains(focus);
		const typing = e.target instanceof HTMLSelectElement || (e.target instanceof HTMLButtonElement && (e.key === "Enter" || e.key === " "));
		if (!this.now || this.element.offsetParent === null || elsewhere || typing || document.querySelector("dialog[open]"))
			return;
		if (this.now.key(e))
			e.preventDefault();
	}
}
