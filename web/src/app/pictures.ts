// SPDX-License-Identifier: Apache-2.0
// The views of a recording that fill the page: threads and processes over time, and distributions; of all of it or of a
// stretch.
import { HistTab } from "./histtab.js";
import { Source } from "./stretch.js";
import { TimelineTab } from "./timelinetab.js";
import { replaceChildren, makeElement, makeLink, listen } from "../element.js";

/** "": heat map, stacks, slow events and text. */
const TABS = [
	["", "Overview"],
	["timeline", "Timeline"],
	["processes", "Processes"],
	["hist", "Distributions"],
] as const;
export type TabName = (typeof TABS)[number][0];

/** One of these views. */
export interface Tab {
	readonly element: HTMLElement;
	show: (source: Source, name: TabName, query: URLSearchParams) => Promise<void>;
	/** The part of its address after "?". */
	readonly query: URLSearchParams;
	/** Whether the key means something there. */
	key: (event: KeyboardEvent) => boolean;
	onLink: () => void;
}

export function tabName(text: string | undefined): TabName {
	return TABS.find(([name]) => name === text)?.[0] ?? "";
}

/** Links to the views of a recording. */
export function tabLinks(id: string, now: TabName | null, first: string): HTMLElement {
	const nav = makeElement("nav", "", "tabs");
	nav.ariaLabel = "Views of the recording";
	for (const [name, text] of TABS) {
		const link = makeLink(text, name ? `#recording/${id}/${name}` : first);
		link.ariaCurrent = name === now ? "page" : null;
		nav.append(link);
	}
	return nav;
}

export class Pictures {
	readonly element = makeElement("div", "", "pictures");
	readonly timeline = new TimelineTab();
	readonly hist = new HistTab();
	private now: Tab | null = null;
	private name: TabName = "";
	private id = "";
	onLink: (link: string) => void = () => {};

	constructor() {
		for (const tab of [this.timeline, this.hist] as Tab[])
			tab.onLink = () => tab === this.now && this.onLink(this.link);
		this.element.hidden = true;
		listen(document, "keydown", (event) => this.key(event));
	}

	/** Shows a view; "": none of these. */
	async show(source: Source, name: TabName, query: URLSearchParams): Promise<void> {
		const tab: Tab | null = name === "" ? null : name === "hist" ? this.hist : this.timeline;
		this.name = name;
		this.id = source.id;
		this.now = tab;
		this.element.hidden = tab === null;
		if (tab && tab.element.parentElement !== this.element) replaceChildren(this.element, tab.element);
		await tab?.show(source, name, query);
	}

	get tab(): TabName {
		return this.name;
	}

	get link(): string {
		const query = this.now?.query.toString() ?? "";
		return `recording/${this.id}/${this.name}${query ? "?" + query : ""}`;
	}

	/** Keys are the picture's unless something else of the page has the focus. */
	private key(event: KeyboardEvent): void {
		const focus = document.activeElement,
			elsewhere = focus && focus !== document.body && !this.element.contains(focus);
		const typing =
			event.target instanceof HTMLSelectElement ||
			(event.target instanceof HTMLButtonElement && (event.key === "Enter" || event.key === " "));
		if (
			!this.now ||
			this.element.offsetParent === null ||
			elsewhere ||
			typing ||
			document.querySelector("dialog[open]")
		)
			return;
		if (this.now.key(event)) event.preventDefault();
	}
}
