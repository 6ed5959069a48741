// SPDX-License-Identifier: Apache-2.0
// What the views that fill the page have around the picture: which stretch of time it is of, what it is saved as, and what is said in its
// place while it is read or when it cannot be made. The picture keeps its room, so that nothing moves.
import { ApiError, Params, viewUrl } from "./api.js";
import { Source } from "./stretch.js";
import { fill, make, makeSave, said } from "../dom.js";

const TOO_LARGE = 413, LINK_MS = 300;
export const NO_VALUES = "There are no distributions in this recording: no tracker, and no quantize(), lquantize(), llquantize() or hist() has values.";

/** Links that save a view: its name and what stands there. */
export function saveLinks(id: string, views: readonly (readonly [string, string])[], params: Params = {}): HTMLElement {
	const save = make("span", "", "save");
	for (const [view, text] of views)
		save.append(" ", makeSave(text, viewUrl(id, view, params)));
	return save;
}

/** "Save as" with links to a picture, and others, which a narrow window does not tear apart. */
export function savePicture(id: string, view: string, params: Params, ...others: HTMLElement[]): HTMLElement {
	const all = make("span", "", "together");
	all.append(make("span", "Save as", "muted"), saveLinks(id, [[view + ".svg", "SVG"], [view + ".html", "HTML"]], params), ...others);
	return all;
}

export class TabFrame {
	readonly element = make("div", "", "tab");
	readonly bar = make("div", "", "bar");
	readonly summary = make("p", "", "muted");
	private readonly message = make("div", "", "message");
	private pending = 0;

	constructor(readonly panel: HTMLElement, private readonly onLink: () => void) {
		const room = make("div", "", "room");
		this.summary.role = "status";
		room.append(panel, this.message);
		this.element.append(this.bar, this.summary, room);
	}

	/** In place of the picture, which stays where it is; nothing: the picture. */
	say(text: string, ...more: HTMLElement[]): void {
		fill(this.message, ...(text ? [make("p", text)] : []), ...more);
		this.message.hidden = !text;
		this.panel.classList.toggle("empty", text !== "");
		if (text)
			this.summary.textContent = "";
	}

	/** A view could not be made. */
	failed(s: Source, what: string, e: unknown, smaller: HTMLElement[]): void {
		const lost = e instanceof ApiError ? "" : "the server does not answer: ";
		this.say(`${what}: ${lost}${said(e)}`, ...(e instanceof ApiError && e.status === TOO_LARGE ? smaller : []));
		if (s.info.lost)
			this.message.append(make("p", "Events were lost while recording.", "lossy"));
	}

	/** The address follows when nothing has changed for a moment: browsers allow few changes. */
	linkSoon(): void {
		clearTimeout(this.pending);
		this.pending = window.setTimeout(this.onLink, LINK_MS);
	}
}

/** The keyboard is the picture's, where nothing but a link that led here has it. */
export function focusPicture(canvas: HTMLCanvasElement): void {
	const focus = document.activeElement;
	canvas.tabIndex = 0;
	if (!focus || focus === document.body || focus.closest(".tabs, .detail-pane"))
		canvas.focus({ preventScroll: true });
}
