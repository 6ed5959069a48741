// SPDX-License-Identifier: Apache-2.0
// What a view that fills the page has around its picture: the stretch of time, links that save, and a message while the
// picture is read or when it cannot be made. The picture keeps its room, so that nothing moves.
import { ApiError, Params, viewUrl } from "./api.js";
import { Source } from "./stretch.js";
import { replaceChildren, makeElement, makeSave, errorMessage } from "../element.js";

const TOO_LARGE = 413,
	LINK_MS = 300;
export const NO_VALUES =
	"There are no distributions in this recording: " +
	"no tracker, and no quantize(), lquantize(), llquantize() or hist() has values.";

/** Links that save a view: its name and what stands there. */
export function saveLinks(id: string, views: readonly (readonly [string, string])[], params: Params = {}): HTMLElement {
	const save = makeElement("span", "", "save");
	for (const [view, text] of views) save.append(" ", makeSave(text, viewUrl(id, view, params)));
	return save;
}

/** "Save as" with links to a picture, and others, which a narrow window does not tear apart. */
export function savePicture(id: string, view: string, params: Params, ...others: HTMLElement[]): HTMLElement {
	const all = makeElement("span", "", "together");
	all.append(
		makeElement("span", "Save as", "muted"),
		saveLinks(
			id,
			[
				[view + ".svg", "SVG"],
				[view + ".html", "HTML"],
			],
			params,
		),
		...others,
	);
	return all;
}

export class TabFrame {
	readonly element = makeElement("div", "", "tab");
	readonly bar = makeElement("div", "", "bar");
	readonly summary = makeElement("p", "", "muted");
	private readonly message = makeElement("div", "", "message");
	private pending = 0;

	constructor(
		readonly panel: HTMLElement,
		private readonly onLink: () => void,
	) {
		const room = makeElement("div", "", "room");
		this.summary.role = "status";
		room.append(panel, this.message);
		this.element.append(this.bar, this.summary, room);
	}

	/** In place of the picture, which stays where it is; nothing: the picture. */
	say(text: string, ...more: HTMLElement[]): void {
		replaceChildren(this.message, ...(text ? [makeElement("p", text)] : []), ...more);
		this.message.hidden = !text;
		this.panel.classList.toggle("empty", text !== "");
		if (text) this.summary.textContent = "";
	}

	/** Colours the summary: events were lost, or left out by a limit. */
	mark(lost: boolean, leftOut: boolean): void {
		this.summary.classList.toggle("lossy", lost);
		this.summary.classList.toggle("limited", leftOut && !lost);
	}

	/** A view could not be made. */
	failed(source: Source, what: string, error: unknown, smaller: HTMLElement[]): void {
		const lost = error instanceof ApiError ? "" : "the server does not answer: ";
		this.say(
			`${what}: ${lost}${errorMessage(error)}`,
			...(error instanceof ApiError && error.status === TOO_LARGE ? smaller : []),
		);
		if (source.info.lost) this.message.append(makeElement("p", "Events were lost while recording.", "lossy"));
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
