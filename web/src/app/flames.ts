// SPDX-License-Identifier: Apache-2.0
// Draws flame graphs of the live page: of the stacks of an aggregation, and of a view of a recording.
import { FlameView } from "../flame.js";
import { arrowMove, Place } from "../flamemodel.js";
import { amount, number, percent } from "../amount.js";
import { unpack } from "../bytes.js";
import { decode, Tree } from "../tree.js";
import { replaceChildren, makeElement, makeFocusable, listen } from "../element.js";
import { api, FrameKinds } from "./api.js";
import { treeOf, weightedTree } from "./stacktree.js";

/** What `flame.json` says: see dwell-flame(1). */
export interface FlameData extends FrameKinds {
	title: string;
	unit: string;
	notes: string;
	diff: boolean;
	significance: boolean;
	stacks: string;
}

/** A flame graph with a line that says what is under the pointer. */
class Pane {
	readonly view: FlameView;
	private readonly detail = makeElement("div", "", "detail");
	private unit = "";
	private summary = "";
	private from = "";

	constructor(
		host: HTMLElement,
		readonly kinds: FrameKinds,
		readonly diff: boolean,
		significance: boolean,
	) {
		const pane = makeElement("div"),
			box = makeElement("div", "", "flame-pane");
		box.append(pane);
		replaceChildren(host, box, this.detail);
		this.view = new FlameView(pane, { kinds: kinds.kinds, unknown: kinds.unknown, diff, significance });
		const canvas = this.view.canvas;
		makeFocusable(canvas, "img", "Flame graph: arrow keys go from frame to frame, Enter zooms, Escape shows all");
		this.view.onHover = (place) => this.say(place);
		this.view.onSelect = () => this.say(this.view.selectedAt);
		listen(canvas, "dblclick", () => this.view.zoom(null));
		listen(canvas, "keydown", (event) => this.key(event));
	}

	/** from: where the numbers come from. */
	show(host: HTMLElement, tree: Tree, unit: string, summary: string, from: string): void {
		this.unit = unit;
		this.from = from;
		this.summary = summary;
		host.style.setProperty("--levels", String(Math.min(30, tree.levels.length)));
		this.view.show({ up: tree }, false);
		this.detail.textContent = summary;
	}

	private say(place: Place | null): void {
		if (!place) {
			this.detail.textContent = this.summary;
			return;
		}
		const tree = place.tree,
			frame = tree.frame[place.node]!,
			describe = (k: number) =>
				`${amount(tree.total[k]![place.node]!, this.unit)} (${percent(tree.share(place.node, k))})`;
		this.detail.textContent =
			`${tree.frames.module[frame] ? tree.frames.module[frame] + "`" : ""}${tree.frames.name[frame]} · ` +
			(tree.frames.source?.[frame] ? tree.frames.source[frame] + " · " : "") +
			(this.diff ? `before ${describe(0)}, now ${describe(1)}` : describe(0)) +
			` · from ${this.from}`;
	}

	private key(event: KeyboardEvent): void {
		const move = arrowMove(event.key, false);
		if (move) this.view.move(move);
		else if (event.key === "Enter") this.view.zoom(this.view.selectedAt);
		else if (event.key === "Escape" && this.view.zoomedAt) this.view.zoom(null);
		else return;
		event.preventDefault();
		event.stopPropagation();
	}
}

const panes = new WeakMap<HTMLElement, Pane>();

/** The pane of a host; null: somebody looks at it closely, so that it must not move away under them. */
function paneOf(host: HTMLElement, kinds: FrameKinds, diff: boolean, significance: boolean): Pane | null {
	let pane = panes.get(host);
	if (pane && pane.diff === diff && host.contains(pane.view.canvas)) return pane.view.zoomedAt ? null : pane;
	pane = new Pane(host, kinds, diff, significance);
	panes.set(host, pane);
	return pane;
}

/** Draws the stacks of an aggregation into host. */
export function flameOf(host: HTMLElement, stacks: { frames: string[]; weight: number }[], from: string): void {
	void api.frameKinds().then((kinds) => {
		const tree = treeOf(stacks, kinds),
			pane = paneOf(host, kinds, false, false);
		pane?.show(host, tree, "", `${number(tree.whole[0]!)} in ${number(stacks.length)} stacks`, from);
	});
}

/** Draws stacks with nanoseconds of others and of one's own; one weight: its own. */
export function flamePair(
	host: HTMLElement,
	stacks: readonly { frames: string[]; weights: number[] }[],
	from: string,
): void {
	void api.frameKinds().then((kinds) => {
		const tree = weightedTree(stacks, kinds),
			diff = tree.whole.length > 1,
			whole = (weight: number) => amount(tree.whole[weight]!, "ns");
		paneOf(host, kinds, diff, false)?.show(
			host,
			tree,
			"ns",
			diff ? `others ${whole(0)}, this host ${whole(1)}: red is more here` : whole(0),
			from,
		);
	});
}

/** Draws a view of a recording into host. again: the same picture, newer; from: what of which recording. */
export async function showFlame(host: HTMLElement, data: FlameData, again: boolean, from: string): Promise<void> {
	const tree = decode(await unpack(data.stacks), data.diff ? 2 : 1);
	if (!again) panes.delete(host);
	const whole = (weight: number) => amount(tree.whole[weight]!, data.unit);
	const sum = data.diff
		? `before ${whole(0)}, now ${whole(1)}: blue has vanished, red is new`
		: `${whole(0)}: a frame is as wide as its share`;
	paneOf(host, data, data.diff, data.significance)?.show(
		host,
		tree,
		data.unit,
		sum + (data.notes ? " · " + data.notes : ""),
		from,
	);
}
