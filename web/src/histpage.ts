// SPDX-License-Identifier: Apache-2.0
// The page of distributions: `dwell hist -o FILE.html`. Everything it shows is in the file.
import { makeThemeButton } from "./controls.js";
import { replaceChildren, makeElement, listen } from "./element.js";
import { HistHead, HistPanel } from "./histpanel.js";
import { fileHead, startPage } from "./standalone.js";
import { toggleTheme } from "./theme.js";

void startPage((app) => {
	const head = fileHead<HistHead>(),
		panel = new HistPanel(),
		top = makeElement("header", "", "head");
	panel.show(head);
	top.append(makeElement("h1", head.title), makeElement("span", panel.summary(), "muted"));
	panel.bar.append(makeThemeButton());
	replaceChildren(app, top, panel.element);
	listen(document, "keydown", (event) => {
		if (event.key === "d" && !event.ctrlKey && !event.altKey && !event.metaKey) toggleTheme();
		else if (!panel.key(event)) return;
		event.preventDefault();
	});
	return Promise.resolve(panel);
});
