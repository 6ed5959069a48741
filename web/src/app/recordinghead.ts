// SPDX-License-Identifier: Apache-2.0
// What a recording is: where and when it was made, by which programs, what is missing, and what it can be saved as.
import { Contents } from "./api.js";
import { compareRecordings } from "./comparison.js";
import { missingTexts } from "./losses.js";
import { showLosses } from "./lossline.js";
import { RecordingList } from "./recordinglist.js";
import { Source } from "./stretch.js";
import { saveLinks } from "./tabframe.js";
import { amount, number } from "../amount.js";
import { makeElement, makePre } from "../element.js";

const SAVED_AS = [
	["report.json", "JSON"],
	["trace.json", "trace events"],
	["values.csv", "CSV"],
] as const;

function factsOf(info: Contents): string {
	const length = info.extent ? amount(info.extent[1] - info.extent[0], "ns") : "nothing",
		begun = new Date((info.begun + info.wall_off) / 1e6).toISOString().slice(0, 19).replace("T", " ");
	return [info.host, `Linux ${info.kernel}`, `${begun} UTC`, length, `${number(info.slow)} slow events`].join(" · ");
}

function makePrograms({ programs }: Contents): HTMLElement {
	const details = makeElement("details"),
		title = `${number(programs.length)} D program${programs.length === 1 ? "" : "s"}`;
	details.append(makeElement("summary", title), ...programs.map((program) => makePre(program.text, "code")));
	return details;
}

function makeSave(id: string): HTMLElement {
	const save = makeElement("p", "Save ", "save"),
		isSent = id.startsWith("u"); // the user has the file already
	save.append(saveLinks(id, [...(isSent ? [] : [["recording", "the recording"] as const]), ...SAVED_AS]));
	return save;
}

export function makeRecordingHead(source: Source, list: RecordingList): HTMLElement[] {
	const { id, info } = source,
		missing = makeElement("p", "", "missing");
	showLosses(missing, missingTexts(info));
	missing.hidden = !missing.textContent;
	return [
		makeElement("h2", list.nameOf(id)),
		makeElement("p", factsOf(info)),
		missing,
		makePrograms(info),
		makeSave(id),
		compareRecordings(source, list.recordings),
	];
}
