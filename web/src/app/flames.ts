// SPDX-License-Identifier: Apache-2.0
// Flame graphs of the page: of the stacks of an aggregation, and of a view of a recording.
import { FlameView, Place } from "../flame.js";
import { amount, number, percent } from "../amount.js";
import { unpack } from "../bytes.js";
import { Builder, decode, Frames, hueOf, Tree } from "../tree.js";
import { fill, make, named, on } from "../dom.js";
import { api, FrameKinds } from "./api.js";

/** What `flame.json` says: see dwell-flame(1). */
export interface FlameData extends FrameKinds {
	title: string;
	unit: string;
	notes: string;
	diff: boolean;
	significance: boolean;
	stacks: string;
}

/** The kind (by its name in framekind.def) of a frame "module`function". */
function kindOf(name: string): string {
	if (/^0x[0-9a-f]+$/.test(name))
		return "unknown";
	const tick = name.indexOf("`"), module = name.slice(0, tick);
	if (tick < 0)
		return "thread";
	if (module === "[jit]")
		return "jit";
	if (/\.so|^\[/.test(module))
		return "library";
	return /^[a-z0-9_]+$/.test(module) && (module === "vmlinux" || !name.includes("::")) ? "kernel" : "user";
}

const utf8 = new TextEncoder();

class Names {
	readonly frames: Frames = { n: 0, name: [], module: [], kind: new Uint8Array(64), hue: new Uint32Array(64) };
	private readonly at = new Map<string, number>();
	private readonly kind: Map<string, number>;

	constructor(k: FrameKinds) {
		this.kind = new Map(k.kinds.map((v, i) => [v.name, i]));
	}

	/** The number of a frame "module`function+0x12", without the offset. */
	take(full: string): number {
		const f = this.frames, name = full.replace(/\+0x[0-9a-f]+$/, "");
		let i = this.at.get(name);
		if (i !== undefined)
			return i;
		i = f.n++;
		if (f.n > f.kind.length) {
			const kind = new Uint8Array(2 * f.n), hue = new Uint32Array(2 * f.n);
			kind.set(f.kind);
			hue.set(f.hue);
			f.kind = kind;
			f.hue = hue;
		}
		const tick = name.indexOf("`");
		f.name.push(name.slice(tick + 1));
		f.module.push(tick > 0 ? name.slice(0, tick) : "");
		f.kind[i] = this.kind.get(kindOf(name)) ?? 0;
		f.hue[i] = hueOf(utf8.encode(f.name[i]));
		this.at.set(name, i);
		return i;
	}
}

export function treeOf(stacks: { frames: string[], weight: number }[], kinds: FrameKinds): Tree {
	const names = new Names(kinds), numbered = stacks.map((s) => s.frames.map((f) => names.take(f)));
	const b = new Builder(names.frames, 1);
	stacks.forEach((s, i) => {
		let node = 0;
		for (const f of numbered[i]!)
			node = b.child(node, f);
		b.weigh(node, [s.weight]);
	});
	return b.tree();
}

/** A flame graph with a line that says what is under the pointer. */
class Pane {
	readonly view: FlameView;
	private readonly detail = make("div", "", "detail");
	private unit = "";
	private summary = "";
	private from = "";

	constructor(host: HTMLElement, readonly kinds: FrameKinds, readonly diff: boolean, significance: boolean) {
		const pane = make("div"), box = make("div", "", "flame-pane");
		box.append(pane);
		fill(host, box, this.detail);
		this.view = new FlameView(pane, { kinds: kinds.kinds, unknown: kinds.unknown, diff, significance });
		const c = this.view.canvas;
		named(c, "img", "Flame graph: arrow keys go from frame to frame, Enter zooms, Escape shows all");
		this.view.onHover = (p) => this.say(p);
		this.view.onSelect = () => this.say(this.view.selectedAt);
		on(c, "dblclick", () => this.view.zoom(null));
		on(c, "keydown", (e) => this.key(e));
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

	private say(p: Place | null): void {
		if (!p) {
			this.detail.textContent = this.summary;
			return;
		}
		const t = p.tree, f = t.frame[p.node]!, v = (k: number) => `${amount(t.total[k]![p.node]!, this.unit)} (${percent(t.share(p.node, k))})`;
		this.detail.textContent = `${t.frames.module[f] ? t.frames.module[f] + "`" : ""}${t.frames.name[f]} · ` +
			(t.frames.source?.[f] ? t.frames.source[f] + " · " : "") +
			(this.diff ? `before ${v(0)}, now ${v(1)}` : v(0)) + ` · from ${this.from}`;
	}

	private key(e: KeyboardEvent): void {
		const moves = { ArrowUp: "out", ArrowDown: "in", ArrowLeft: "left", ArrowRight: "right" } as const;
		if (e.key in moves)
			this.view.move(moves[e.key as keyof typeof moves]);
		else if (e.key === "Enter")
			this.view.zoom(this.view.selectedAt);
		else if (e.key === "Escape" && this.view.zoomedAt)
			this.view.zoom(null);
		else
			return;
		e.preventDefault();
		e.stopPropagation();
	}
}

const panes = new WeakMap<HTMLElement, Pane>();

/** The pane of a host; null: somebody looks at it closely, so that it must not move away under them. */
function paneOf(host: HTMLElement, k: FrameKinds, diff: boolean, significance: boolean): Pane | null {
	let p = panes.get(host);
	if (p && p.diff === diff && host.contains(p.view.canvas))
		return p.view.zoomedAt ? null : p;
	p = new Pane(host, k, diff, significance);
	panes.set(host, p);
	return p;
}

/** Draws the stacks of an aggregation into host. */
export function flameOf(host: HTMLElement, stacks: { frames: string[], weight: number }[], from: string): void {
	void api.frameKinds().then((k) => {
		const tree = treeOf(stacks, k), p = paneOf(host, k, false, false);
		p?.show(host, tree, "", `${number(tree.whole[0]!)} in ${number(stacks.length)} stacks`, from);
	});
}

/** Draws a view of a recording into host. again: the same picture, newer; from: what of which recording. */
export async function showFlame(host: HTMLElement, d: FlameData, again: boolean, from: string): Promise<void> {
	const tree = decode(await unpack(d.stacks), d.diff ? 2 : 1);
	if (!again)
		panes.delete(host);
	const sum = d.diff ? `before ${amount(tree.whole[0]!, d.unit)}, now ${amount(tree.whole[1]!, d.unit)}: blue has vanished, red is new` :
		`${amount(tree.whole[0]!, d.unit)}: a frame is as wide as its share`;
	paneOf(host, d, d.diff, d.significance)?.show(host, tree, d.unit, sum + (d.notes ? " · " + d.notes : ""), from);
}
