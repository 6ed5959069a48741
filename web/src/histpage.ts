// SPDX-License-Identifier: Apache-2.0
// The page of distributions: `dwell hist -o FILE.html`. Everything it shows is in the file.
import { fill, make, makeButton, on } from "./dom.js";
import { HistHead, HistPanel } from "./histpanel.js";
import { fileHead, startPage } from "./standalone.js";
import { toggleTheme } from "./theme.js";

void startPage((app) => {
	const head = fileHead<HistHead>(), panel = new HistPanel(), top = make("header", "", "head");
	panel.show(head);
	top.append(make("h1", head.title), make("span", panel.summary(), "muted"));
	panel.bar.append(makeButton("◐", "dark or light (d)", toggleTheme));
	fill(app, top, panel.element);
	on(document, "keydown", (e) => {
		if (e.key === "d" && !e.ctrlKey && !e.altKey && !e.metaKey)
			toggleTheme();
		else if (!panel.key(e))
			return;
		e.preventDefault();
	});
	return Promise.resolve(panel);
});
