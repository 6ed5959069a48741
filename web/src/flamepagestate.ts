// SPDX-License-Identifier: Apache-2.0
// Holds what the page of a flame graph shows: which picture, around which function, what is searched for; and writes and
// reads the address that says so. Knows no page.
import { arrowMove, Place, Towards } from "./flamemodel.js";
import { FlamePicture, FlamePictures, Mode, MODES } from "./flamepictures.js";
import { Found, search } from "./flamesearch.js";
import { Tree } from "./tree.js";

/** What an address says, as far as it makes sense. */
export interface FlameLink {
	mode: Mode;
	/** The function of the sandwich; -1: none. */
	focus: number;
	/** The node that is shown at full width; -1: everything. */
	node: number;
	text: string;
	ignoreCase: boolean;
}

/** What a key does on the page. */
export type FlameAction =
	{ mode: Mode } | { move: Towards } | "zoom" | "caller" | "case" | "turn" | "theme" | "help" | null;

const ACTIONS: Readonly<Record<string, FlameAction>> = {
	Enter: "zoom",
	Backspace: "caller",
	i: "case",
	r: "turn",
	d: "theme",
	"?": "help",
};
const CALLERS_SHOWN = 5; // above the graph

/** What an address (without "#") says. */
export function readFlameLink(address: string): FlameLink {
	const query = new URLSearchParams(address),
		index = (name: string) => {
			const value = Number(query.get(name) ?? -1);
			return Number.isInteger(value) && value >= 0 ? value : -1;
		};
	return {
		mode: MODES.find((one) => one === query.get("v")) ?? "flame",
		focus: index("f"),
		node: index("x"),
		text: query.get("s") ?? "",
		ignoreCase: query.get("i") === "1",
	};
}

/** The address (without "#") that says so; "": nothing but the whole graph. */
export function writeFlameLink({ mode, focus, node, text, ignoreCase }: FlameLink): string {
	const query = new URLSearchParams();
	if (mode !== "flame") query.set("v", mode);
	if (mode === "sandwich") query.set("f", String(focus));
	if (node >= 0) query.set("x", String(node));
	if (text) query.set("s", text);
	if (ignoreCase) query.set("i", "1");
	return query.toString();
}

export class FlamePageState {
	mode: Mode = "flame";
	/** The function of the sandwich; -1: none. */
	focus = -1;
	text = "";
	ignoreCase = false;
	found: Found | null = null;
	readonly pictures: FlamePictures;

	constructor(
		readonly tree: Tree,
		public isInverted: boolean,
	) {
		this.pictures = new FlamePictures(tree);
	}

	get isTable(): boolean {
		return this.mode === "table";
	}

	picture(): FlamePicture {
		return this.pictures.of(this.mode, this.focus);
	}

	/** Shows another picture. False: there is no function that it could be around. */
	enter(mode: Mode, selected: Place | null): boolean {
		if (mode === "sandwich" && selected) this.focus = selected.tree.frame[selected.node]!;
		if (mode === "sandwich" && this.focus < 0) return false;
		this.mode = mode;
		return true;
	}

	search(text: string): void {
		this.text = text;
		this.found = search(this.tree, text, this.ignoreCase);
	}

	/** The frame that calls one; null: none does. */
	callerOf(place: Place | null): Place | null {
		const node = place ? place.tree.parent[place.node]! : -1;
		return place && node >= 0 ? { tree: place.tree, node } : null;
	}

	/** The last callers of what is shown at full width, and itself; cut: there are more. */
	callers(zoomed: Place | null): { places: Place[]; cut: boolean } {
		if (!zoomed || this.isTable) return { places: [], cut: false };
		const { tree } = zoomed,
			path = tree.path(zoomed.node);
		return {
			places: path.slice(-CALLERS_SHOWN).map((node) => ({ tree, node })),
			cut: path.length > CALLERS_SHOWN,
		};
	}

	/** What the address is to say. A frame among the callers of a sandwich is not kept. */
	link(zoomed: Place | null): FlameLink {
		const { mode, focus, text, ignoreCase } = this,
			isKept = zoomed !== null && !this.isTable && zoomed.tree === this.picture().up;
		return { mode, focus, text, ignoreCase, node: isKept ? zoomed.node : -1 };
	}

	/** Takes over what an address says, but for the picture: the caller shows the one that is returned. */
	take({ mode, focus, ignoreCase }: FlameLink): Mode {
		if (focus >= 0 && focus < this.tree.frames.n) this.focus = focus;
		this.ignoreCase = ignoreCase;
		return mode === "sandwich" && this.focus < 0 ? "flame" : mode;
	}

	/** The frame of an address in the picture that is shown; null: there is none. */
	placeOf({ node }: FlameLink): Place | null {
		if (this.isTable || node < 0) return null;
		const tree = this.picture().up;
		return node < tree.n ? { tree, node } : null;
	}

	/** What a key does; null: nothing. */
	action(key: string): FlameAction {
		const mode = MODES[Number(key) - 1],
			move = arrowMove(key, this.isInverted);
		if (mode) return { mode };
		return move ? { move } : (ACTIONS[key] ?? null);
	}
}
