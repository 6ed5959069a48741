// SPDX-License-Identifier: Apache-2.0
// The page of one timeline: `dwell timeline -o FILE.html`. Everything it shows is in the file.
import { fill, make, makeButton, makeHelp, on } from "./dom.js";
import { fileHead, filePart, startPage } from "./standalone.js";
import { toggleTheme } from "./theme.js";
import { TimelineHead } from "./timelinemodel.js";
import { TIMELINE_KEYS, TimelinePanel } from "./timelinepanel.js";

void startPage(async (app) => {
	const head = fileHead<TimelineHead>(), panel = new TimelinePanel(), top = make("header", "", "head");
	panel.show(head, await filePart("texts"), await filePart("intervals"));
	const help = makeHelp("A timeline", head.processes ? "Each row is a process below the one that made it; a bar is its life, cut where it became another program." :
		"Each row is a thread, colours are what it did. A pixel that several intervals share has their mixture; waits count more in it than running.",
	[...TIMELINE_KEYS, ["d", "dark or light"]]);
	top.append(make("h1", head.title), make("span", panel.summary(), "muted"));
	panel.bar.append(makeButton("◐", "dark or light (d)", toggleTheme), makeButton("?", "help (?)", () => help.showModal()));
	fill(app, top, panel.element, help);
	on(document, "keydown", (e) => {
		const plain = !e.ctrlKey && !e.altKey && !e.metaKey && !(e.target instanceof HTMLInputElement);
		if (help.open)
			return;
		if (plain && e.key === "d")
			toggleTheme();
		else if (plain && e.key === "?")
			help.showModal();
		else if (!panel.key(e))
			return;
		e.preventDefault();
	});
	return panel;
});
