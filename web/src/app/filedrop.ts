// SPDX-License-Identifier: Apache-2.0
// Files that are dropped anywhere on the page. While a file is held over it, the page shows where the file will go.
import { listen } from "../element.js";

const HELD_MS = 500;

function hasFiles(event: DragEvent): boolean {
	return event.dataTransfer?.types.includes("Files") ?? false;
}

/** Calls back with the first of the files; null: there is none. */
export function acceptDrops(dropped: (file: File | null) => void): void {
	let timer = 0; // browsers repeat "dragover" while a file is held, and do not say when it is taken away
	const show = (held: boolean) => {
		clearTimeout(timer);
		document.documentElement.classList.toggle("dropping", held);
		if (held) timer = window.setTimeout(() => show(false), HELD_MS);
	};
	listen(document, "dragover", (event) => {
		if (!hasFiles(event)) return;
		event.preventDefault();
		show(true);
	});
	listen(document, "drop", (event) => {
		show(false);
		if (!hasFiles(event)) return;
		event.preventDefault(); // the browser would leave the page for the file
		dropped(event.dataTransfer!.files[0] ?? null);
	});
}
