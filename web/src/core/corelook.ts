// SPDX-License-Identifier: Apache-2.0
// What the page of a core shows, as its address has it.

export const LISTS = ["constructors", "retainers", "strings"] as const;
export type ListName = (typeof LISTS)[number];

export interface CoreLook {
	list: ListName;
	/** All that are like this object; "": none. */
	like: string;
	/** The object whose details are shown; "": none. */
	object: string;
}

/** An address of an object, or "". */
function addressOf(text: string | null): string {
	return text && /^[0-9a-f]{1,16}$/.test(text) ? text : "";
}

export function readLook(hash: string): CoreLook {
	const params = new URLSearchParams(hash.replace(/^#/, "")),
		list = params.get("list");
	return {
		list: LISTS.find((name) => name === list) ?? "constructors",
		like: addressOf(params.get("like")),
		object: addressOf(params.get("object")),
	};
}

export function writeLook(look: CoreLook): string {
	const { list, like, object } = look,
		parts = Object.entries({ list, like, object }).filter(([, value]) => value);
	return "#" + parts.map(([name, value]) => `${name}=${value}`).join("&");
}
