// SPDX-License-Identifier: Apache-2.0
// Stacks of an aggregation as a flame graph that can be zoomed.
import { FlameView, Place } from "../flame.js";
import { number, percent } from "../amount.js";
import { Kind } from "../theme.js";
import { Builder, Frames, hueOf, Tree } from "../tree.js";
import { make } from "../dom.js";

const KEY = 0, KERNEL = 1, USER = 2, UNKNOWN = 3;
const KINDS: Kind[] = [
	{ text: "key", hue: 0, saturation: 0, lightness: 82 },
	{ text: "kernel", hue: 28, saturation: 85, lightness: 72 },
	{ text: "user", hue: 205, saturation: 60, lightness: 74 },
	{ text: "unknown", hue: 0, saturation: 0, lightness: 74 },
];

function kindOf(name: string): number {
	if (/^0x[0-9a-f]+$/.test(name))
		return UNKNOWN;
	const tick = name.indexOf("`");
	if (tick < 0)
		return KEY;
	return /^vmlinux$|^[a-z0-9_]+$/.test(name.slice(0, tick)) && !/\.so|^\[/.test(name.slice(0, tick)) ? KERNEL : USER;
}

const utf8 = new TextEncoder();

class Names {
	readonly frames: Frames = { n: 0, name: [], module: [], kind: new Uint8Array(64), hue: new Uint32Array(64) };
	private readonly at = new Map<string, number>();

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
		f.kind[i] = kindOf(name);
		f.hue[i] = hueOf(utf8.encode(f.name[i]));
		this.at.set(name, i);
		return i;
	}
}

export function treeOf(stacks: { frames: string[], weight: number }[]): Tree {
	const names = new Names(), numbered = stacks.map((s) => s.frames.map((f) => names.take(f)));
	const b = new Builder(names.frames, 1);
	stacks.forEach((s, i) => {
		let node = 0;
		for (const f of numbered[i]!)
			node = b.child(node, f);
		b.weigh(node, [s.weight]);
	});
	return b.tree();
}

const views = new WeakMap<HTMLElement, { view: FlameView, detail: HTMLElement }>();

function describe(p: Place | null): string {
	if (!p)
		return "";
	const t = p.tree, f = t.frame[p.node]!;
	return `${t.frames.module[f] ? t.frames.module[f] + "`" : ""}${t.frames.name[f]} · ${number(t.total[0]![p.node]!)} · ${percent(t.share(p.node, 0))}`;
}

/** Draws into host; drawn again, what is zoomed to stays zoomed when it is still there. */
export function flameOf(host: HTMLElement, stacks: { frames: string[], weight: number }[]): void {
	let v = views.get(host);
	const tree = treeOf(stacks);
	if (!v) {
		const pane = make("div"), box = make("div", "", "flame-pane"), detail = make("div", "", "detail");
		box.append(pane);
		host.replaceChildren(box, detail);
		v = { view: new FlameView(pane, { kinds: KINDS, unknown: UNKNOWN, diff: false, significance: false }), detail };
		v.view.canvas.setAttribute("role", "img");
		v.view.canvas.setAttribute("aria-label", "Flame graph");
		v.view.onHover = (p) => { v!.detail.textContent = describe(p); };
		v.view.canvas.addEventListener("dblclick", () => v!.view.zoom(null));
		views.set(host, v);
	} else if (v.view.zoomedAt) {
		return; // somebody is looking: it does not move away under them
	}
	host.style.setProperty("--levels", String(Math.min(30, tree.levels.length)));
	v.view.show({ up: tree }, false);
	v.detail.textContent = `${number(tree.whole[0]!)} in ${number(stacks.length)} stacks`;
}
