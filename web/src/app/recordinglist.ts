// SPDX-License-Identifier: Apache-2.0
// Which recordings the server has, and a way to send it another one.
import { api, RecordingInfo } from "./api.js";
import { amount } from "../amount.js";
import { listen, makeButton, makeElement, replaceChildren } from "../element.js";

function noteOf(recording: RecordingInfo): string {
	if (recording.kind === "live") return "being recorded: the last ten minutes";
	return amount(recording.bytes, "bytes") + (recording.kind === "sent" ? ", sent" : "");
}

export class RecordingList {
	readonly element = makeElement("aside", "", "side");
	recordings: RecordingInfo[] = [];
	onOpen: (id: string) => void = () => {};
	onFile: (file: File) => void = () => {};
	private readonly list = makeElement("ul", "", "gallery");
	private sizeMax = 0; // bytes that can be sent; 0: unknown

	constructor() {
		const label = makeElement("label", "Open a recording…", "file"),
			input = makeElement("input");
		input.type = "file";
		input.className = "sr";
		listen(input, "change", () => input.files?.[0] && this.onFile(input.files[0]));
		label.append(input);
		this.element.append(label, this.list);
	}

	/** Asks the server. shown: the recording that is open. */
	async refresh(shown: string | undefined): Promise<void> {
		const answer = await api.recordings().catch(() => null);
		this.recordings = answer?.recordings ?? [];
		this.sizeMax = answer?.upload_max ?? 0;
		replaceChildren(this.list, ...this.recordings.map((recording) => this.makeItem(recording, shown)));
	}

	private makeItem(recording: RecordingInfo, shown: string | undefined): HTMLElement {
		const item = makeElement("li"),
			button = makeButton(recording.name, "show it", () => this.onOpen(recording.id));
		button.append(makeElement("span", noteOf(recording), "muted"));
		button.ariaPressed = String(recording.id === shown);
		item.append(button);
		return item;
	}

	/** Why a file cannot be sent; "": it can. */
	refusal(file: File): string {
		if (!this.sizeMax || file.size <= this.sizeMax) return "";
		const [has, most] = [file.size, this.sizeMax].map((bytes) => amount(bytes, "bytes"));
		return `${file.name} has ${has}. At most ${most} can be sent: name the file on dwell's command line.`;
	}

	/** What to do when no recording is open. */
	get advice(): string {
		if (this.recordings.some((recording) => recording.kind !== "live"))
			return "Choose a recording, or drop a file here.";
		return (
			"No recordings yet. Drop a file here that `dwell --record FILE …` made, " +
			"or start the server with `dwell serve --recordings FOLDER`."
		);
	}

	nameOf(id: string): string {
		return this.recordings.find((recording) => recording.id === id)?.name ?? id;
	}
}
