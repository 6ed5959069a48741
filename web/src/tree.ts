// SPDX-License-Identifier: Apache-2.0
// Stacks as a tree in flat arrays: nodes in the order in which they are drawn (parents first, from left to right).
import { Reader } from "./bytes.js";

/** Functions, in the order of their names; equal in all trees made of one another. */
export interface Frames {
	n: number;
	name: string[];
	module: string[];
	kind: Uint8Array;
	/** A number for the name, the same as flame_hue() of src/view/picture/flame_layout.c. */
	hue: Uint32Array;
	/** Where it is in the source, "path:line"; "": unknown. Left out where no sources are known. */
	source?: string[];
}

/** The number for a name (its bytes): FNV-1a, folded. */
export function hueOf(name: Uint8Array): number {
	let h = 2166136261;
	for (const b of name)
		h = Math.imul(h ^ b, 16777619) >>> 0;
	return (h ^ (h >>> 15)) >>> 0;
}

/** Which weights make the widths: of a differential, the mean of the shares, or one side's. */
export type Widths = "both" | "before" | "after";

export class Tree {
	readonly n: number;
	readonly parent: Int32Array; // -1: stands on nothing
	readonly end: Uint32Array; // behind the last node above this one
	readonly total: Float64Array[]; // per weight
	readonly whole: number[]; // sums of each weight
	readonly x: Float64Array; // 0 … 1
	readonly w: Float64Array;
	readonly levels: Uint32Array[]; // nodes by depth, from left to right

	constructor(readonly frames: Frames, readonly frame: Uint32Array, readonly depth: Uint16Array,
		readonly self: Float64Array[]) {
		const n = this.n = frame.length;
		this.parent = new Int32Array(n);
		this.end = new Uint32Array(n);
		this.total = self.map((s) => s.slice());
		this.whole = self.map(() => 0);
		this.x = new Float64Array(n);
		this.w = new Float64Array(n);
		this.levels = [];
		this.link();
		this.addUp();
		this.place("both");
	}

	private link(): void {
		const path: number[] = [], count: number[] = [], fill: number[] = [];
		for (let i = 0; i < this.n; i++) {
			const d = this.depth[i]!;
			for (let k = path.length - 1; k >= d; k--)
				this.end[path[k]!] = i;
			path.length = d;
			this.parent[i] = d > 0 ? path[d - 1]! : -1;
			path.push(i);
			count[d] = (count[d] ?? 0) + 1;
		}
		for (const i of path)
			this.end[i] = this.n;
		for (let d = 0; d < count.length; d++) {
			this.levels.push(new Uint32Array(count[d]!));
			fill.push(0);
		}
		for (let i = 0; i < this.n; i++) {
			const d = this.depth[i]!;
			this.levels[d]![fill[d]!++] = i;
		}
	}

	private addUp(): void {
		this.total.forEach((total, k) => {
			for (let i = this.n - 1; i >= 0; i--) {
				const p = this.parent[i]!;
				if (p >= 0)
					total[p]! += total[i]!;
				else
					this.whole[k]! += total[i]!;
			}
		});
	}

	/** Share of the whole that a node has; weight 0 is before, 1 after. */
	share(i: number, weight: number): number {
		return this.whole[weight] ? this.total[weight]![i]! / this.whole[weight]! : 0;
	}

	/** Gives all nodes their places. */
	place(widths: Widths): void {
		const two = this.total.length > 1, next: number[] = [0];
		for (let i = 0; i < this.n; i++) {
			const d = this.depth[i]!, before = this.share(i, 0), after = two ? this.share(i, 1) : before;
			this.w[i] = widths === "before" ? before : widths === "after" ? after :
				two && (!this.whole[0] || !this.whole[1]) ? before + after : (before + after) / 2;
			this.x[i] = next[d]!;
			next[d] = this.x[i]! + this.w[i]!;
			next[d + 1] = this.x[i]!;
		}
	}

	/** Names from the root to the node. */
	path(i: number): number[] {
		const nodes = [];
		for (; i >= 0; i = this.parent[i]!)
			nodes.push(i);
		return nodes.reverse();
	}
}

/** Reads what src/view/picture/flame_html.c wrote. */
export function decode(bytes: Uint8Array, weights: number): Tree {
	const r = new Reader(bytes), modules: string[] = [];
	for (let i = r.number(); i > 0; i--)
		modules.push(r.string());
	const n = r.number();
	const frames: Frames = { n, name: [], module: [], kind: new Uint8Array(n), hue: new Uint32Array(n) };
	const text = new TextDecoder();
	for (let i = 0; i < n; i++) {
		frames.kind[i] = r.number();
		frames.module.push(modules[r.number()] ?? "");
		const raw = r.raw();
		frames.hue[i] = hueOf(raw);
		frames.name.push(text.decode(raw));
	}
	const nodes = r.number(), frame = new Uint32Array(nodes), depth = new Uint16Array(nodes);
	const self = Array.from({ length: weights }, () => new Float64Array(nodes));
	for (let i = 0, d = -1; i < nodes; i++) {
		d = Math.max(0, d + 1 - r.number());
		depth[i] = d;
		frame[i] = Math.min(r.number(), Math.max(0, n - 1));
		for (const s of self)
			s[i] = r.number();
	}
	const paths: string[] = [];
	for (let i = r.number(); i > 0; i--)
		paths.push(r.string());
	if (paths.length)
		frames.source = Array.from({ length: n }, () => {
			const path = paths[r.number() - 1], line = r.number();
			return path ? path + (line ? ":" + line : "") : "";
		});
	return new Tree(frames, frame, depth, self);
}

/** Collects stacks, and makes a tree of them. */
export class Builder {
	private parent: number[] = [-1];
	private frame: number[] = [0];
	private readonly self: number[][];
	private table = new Int32Array(1 << 12);

	constructor(private readonly frames: Frames, private readonly weights: number) {
		this.self = Array.from({ length: weights }, () => [0]);
	}

	/** The node of a frame that stands on a node; 0 is below all. */
	child(parent: number, frame: number): number {
		if (this.parent.length * 2 > this.table.length)
			this.grow();
		let at = this.slot(parent, frame);
		for (;; at = (at + 1) & (this.table.length - 1)) {
			const i = this.table[at]!;
			if (i === 0)
				break;
			if (this.parent[i] === parent && this.frame[i] === frame)
				return i;
		}
		this.table[at] = this.parent.length;
		this.parent.push(parent);
		this.frame.push(frame);
		for (const s of this.self)
			s.push(0);
		return this.parent.length - 1;
	}

	add(node: number, from: Tree, i: number): void {
		for (let k = 0; k < this.weights; k++)
			this.self[k]![node]! += from.self[k]![i]!;
	}

	weigh(node: number, weights: number[]): void {
		weights.forEach((w, k) => { this.self[k]![node]! += w; });
	}

	private slot(parent: number, frame: number): number {
		return (Math.imul(parent, 0x9e3779b1) ^ Math.imul(frame + 1, 0x85ebca77)) >>> 7 & (this.table.length - 1);
	}

	private grow(): void {
		this.table = new Int32Array(this.table.length * 4);
		for (let i = 1; i < this.parent.length; i++) {
			let at = this.slot(this.parent[i]!, this.frame[i]!);
			while (this.table[at])
				at = (at + 1) & (this.table.length - 1);
			this.table[at] = i;
		}
	}

	tree(): Tree {
		const n = this.parent.length, first = new Int32Array(n), next = new Int32Array(n);
		const order = Array.from({ length: n - 1 }, (_, i) => i + 1).sort((a, b) => this.frame[b]! - this.frame[a]!);
		for (const i of order) { // from the last name to the first: each goes in front
			next[i] = first[this.parent[i]!]!;
			first[this.parent[i]!] = i;
		}
		const frame = new Uint32Array(n - 1), depth = new Uint16Array(n - 1);
		const self = this.self.map(() => new Float64Array(n - 1));
		for (let i = first[0]!, d = 0, at = 0; i > 0; at++) {
			frame[at] = this.frame[i]!;
			depth[at] = d;
			this.self.forEach((s, k) => { self[k]![at] = s[i]!; });
			if (first[i]) {
				i = first[i]!;
				d++;
				continue;
			}
			while (i > 0 && !next[i]) {
				i = this.parent[i]!;
				d--;
			}
			i = i > 0 ? next[i]! : 0;
		}
		return new Tree(this.frames, frame, depth, self);
	}
}

function hasSelf(t: Tree, i: number): boolean {
	return t.self.some((s) => s[i]! > 0);
}

/** Stacks turned round: leaves first. */
export function reverse(t: Tree): Tree {
	const b = new Builder(t.frames, t.self.length);
	for (let i = 0; i < t.n; i++) {
		if (!hasSelf(t, i))
			continue;
		let node = 0;
		for (let k = i; k >= 0; k = t.parent[k]!)
			node = b.child(node, t.frame[k]!);
		b.add(node, t, i);
	}
	return b.tree();
}

/** What is around a function; of recursive calls the outermost counts. */
export function sandwich(t: Tree, frame: number): { callers: Tree, callees: Tree } {
	const up = new Builder(t.frames, t.self.length), down = new Builder(t.frames, t.self.length);
	for (let i = 0; i < t.n; i++) {
		if (!hasSelf(t, i))
			continue;
		const path = t.path(i), at = path.findIndex((k) => t.frame[k] === frame);
		if (at < 0)
			continue;
		let node = 0;
		for (let k = at; k < path.length; k++)
			node = up.child(node, t.frame[path[k]!]!);
		up.add(node, t, i);
		node = 0;
		for (let k = at; k >= 0; k--)
			node = down.child(node, t.frame[path[k]!]!);
		down.add(node, t, i);
	}
	return { callers: down.tree(), callees: up.tree() };
}

/** A function in all its places: what it used itself, and with what it called (each stack once). */
export interface Usage {
	frame: number;
	self: number[];
	total: number[];
}

export function usages(t: Tree): Usage[] {
	const all: Usage[] = [], zero = () => t.self.map(() => 0);
	for (let f = 0; f < t.frames.n; f++)
		all.push({ frame: f, self: zero(), total: zero() });
	const open = new Int32Array(t.frames.n).fill(-1); // end of the outermost node of the function
	for (let i = 0; i < t.n; i++) {
		const u = all[t.frame[i]!]!, outermost = open[t.frame[i]!]! <= i;
		if (outermost)
			open[t.frame[i]!] = t.end[i]!;
		for (let k = 0; k < t.self.length; k++) {
			u.self[k]! += t.self[k]![i]!;
			if (outermost)
				u.total[k]! += t.total[k]![i]!;
		}
	}
	return all.filter((u) => u.total.some((v) => v > 0));
}
