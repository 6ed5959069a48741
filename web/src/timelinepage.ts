// SPDX-License-Identifier: Apache-2.0
// The page of one timeline: `dwell timeline -o FILE.html`. Everything it shows is in the file.
import { makeThemeButton } from "./controls.js";
import { replaceChildren, makeElement, makeButton, makeHelp, listen } from "./element.js";
import { fileHead, filePart, startPage } from "./standalone.js";
import { toggleTheme } from "./theme.js";
import { TimelineHead } from "./timelinemodel.js";
import { TIMELINE_KEYS, TimelinePanel } from "./timelinepanel.js";

void startPage(async (app) => {
	const head = fileHead<TimelineHead>(),
		panel = new TimelinePanel(),
		top = makeElement("header", "", "head");
	panel.show(head, await filePart("texts"), await filePart("intervals"));
	const help = makeHelp(
		"A timeline",
		head.processes
			? "Each row is a process below its parent. A bar is its life, cut where it became another program."
			: "Each row is a thread. Colours are what it did. A pixel mixes its intervals, and waits count more.",
		[...TIMELINE_KEYS, ["d", "dark or light"]],
	);
	top.append(makeElement("h1", head.title), makeElement("span", panel.summary(), "muted"));
	panel.bar.append(
		makeThemeButton(),
		makeButton("?", "help (?)", () => help.showModal()),
	);
	replaceChildren(app, top, panel.element, help);
	listen(document, "keydown", (event) => {
		const plain = !event.ctrlKey && !event.altKey && !event.metaKey && !(event.target instanceof HTMLInputElement);
		if (help.open) return;
		if (plain && event.key === "d") toggleTheme();
		else if (plain && event.key === "?") help.showModal();
		else if (!panel.key(event)) return;
		event.preventDefault();
	});
	return panel;
});
