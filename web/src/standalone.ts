// SPDX-License-Identifier: Apache-2.0
// What the pages that are single files have in common: their data are in elements of the file (src/view/form/page.c).
import { unpack } from "./bytes.js";

/** The head of the data. */
export function fileHead<T>(): T {
	return JSON.parse(document.getElementById("meta")!.textContent!) as T;
}

/** A part of the data. */
export function filePart(id: string): Promise<Uint8Array> {
	return unpack(document.getElementById(id)!.textContent!);
}

/** Shows the page that make makes; tests find it as window.dwell.page. */
export async function startPage(make: (app: HTMLElement) => Promise<{ state: () => object }>): Promise<void> {
	const app = document.getElementById("app")!,
		began = performance.now();
	try {
		const page = await make(app);
		Object.assign(window, { dwell: { page, state: () => page.state(), loaded: performance.now() - began } });
	} catch (error) {
		app.textContent =
			"This page cannot be shown: " +
			(error instanceof Error ? error.message : String(error)) +
			". It needs a browser of 2023 or later.";
	}
}
