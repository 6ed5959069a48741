// SPDX-License-Identifier: Apache-2.0
// The text that a run printed, read from the server when somebody opens it.
import { viewUrl } from "./api.js";
import { listen, makeElement, makePre, replaceChildren } from "../element.js";

const LENGTH_MAX = 200000;

async function readReport(id: string): Promise<string> {
	const response = await fetch(viewUrl(id, "report.txt")).catch(() => null);
	if (!response) return "The server does not answer.";
	const text = await response.text();
	if (text.length > LENGTH_MAX) return text.slice(0, LENGTH_MAX) + "\n… Save the recording to see more.";
	return text || "It printed nothing.";
}

export class RecordingReport {
	readonly element = makeElement("details");
	private readonly title = makeElement("summary", "What the run printed");
	private id = "";

	constructor() {
		this.element.append(this.title);
		listen(this.element, "toggle", () => void this.read());
	}

	/** Closes; another recording may be open. */
	reset(id: string): void {
		this.id = id;
		this.element.open = false;
	}

	private async read(): Promise<void> {
		if (!this.element.open) return;
		const pre = makePre(await readReport(this.id), "text");
		pre.ariaLabel = "Text of the run";
		replaceChildren(this.element, this.title, pre);
	}
}
