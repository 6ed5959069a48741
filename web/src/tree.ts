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
	let height = 2166136261;
	for (const builder of name) height = Math.imul(height ^ builder, 16777619) >>> 0;
	return (height ^ (height >>> 15)) >>> 0;
}

/** Which weights make the widths: of a differential, the mean of the shares, or one side's. */
export type Widths = "both" | "before" | "after";

export class Tree {
	readonly n: number;
	readonly parent: Int32Array; // -1: stands on nothing
	readonly end: Uint32Array; // index after the last node that this one calls
	readonly total: Float64Array[]; // per weight
	readonly whole: number[]; // sums of each weight
	readonly x: Float64Array; // 0 … 1
	readonly w: Float64Array;
	readonly levels: Uint32Array[]; // nodes by depth, from left to right

	constructor(
		readonly frames: Frames,
		readonly frame: Uint32Array,
		readonly depth: Uint16Array,
		readonly self: Float64Array[],
	) {
		const count = (this.n = frame.length);
		this.parent = new Int32Array(count);
		this.end = new Uint32Array(count);
		this.total = self.map((weights) => weights.slice());
		this.whole = self.map(() => 0);
		this.x = new Float64Array(count);
		this.w = new Float64Array(count);
		this.levels = [];
		this.link();
		this.addUp();
		this.place("both");
	}

	private link(): void {
		const path: number[] = [],
			count: number[] = [],
			fill: number[] = [];
		for (let i = 0; i < this.n; i++) {
			const depth = this.depth[i]!;
			for (let weight = path.length - 1; weight >= depth; weight--) this.end[path[weight]!] = i;
			path.length = depth;
			this.parent[i] = depth > 0 ? path[depth - 1]! : -1;
			path.push(i);
			count[depth] = (count[depth] ?? 0) + 1;
		}
		for (const i of path) this.end[i] = this.n;
		for (let depth = 0; depth < count.length; depth++) {
			this.levels.push(new Uint32Array(count[depth]!));
			fill.push(0);
		}
		for (let i = 0; i < this.n; i++) {
			const depth = this.depth[i]!;
			this.levels[depth]![fill[depth]!++] = i;
		}
	}

	private addUp(): void {
		this.total.forEach((total, weight) => {
			for (let i = this.n - 1; i >= 0; i--) {
				const parent = this.parent[i]!;
				if (parent >= 0) total[parent]! += total[i]!;
				else this.whole[weight]! += total[i]!;
			}
		});
	}

	/** Share of the whole that a node has; weight 0 is before, 1 after. */
	share(i: number, weight: number): number {
		return this.whole[weight] ? this.total[weight]![i]! / this.whole[weight]! : 0;
	}

	/** Gives all nodes their places. */
	place(widths: Widths): void {
		const two = this.total.length > 1,
			next: number[] = [0];
		for (let i = 0; i < this.n; i++) {
			const depth = this.depth[i]!,
				before = this.share(i, 0),
				after = two ? this.share(i, 1) : before;
			this.w[i] =
				widths === "before"
					? before
					: widths === "after"
						? after
						: two && (!this.whole[0] || !this.whole[1])
							? before + after
							: (before + after) / 2;
			this.x[i] = next[depth]!;
			next[depth] = this.x[i]! + this.w[i]!;
			next[depth + 1] = this.x[i]!;
		}
	}

	/** Names from the root to the node. */
	path(i: number): number[] {
		const nodes = [];
		for (; i >= 0; i = this.parent[i]!) nodes.push(i);
		return nodes.reverse();
	}
}

/** Reads what src/view/picture/flame_html.c wrote. */
export function decode(bytes: Uint8Array, weights: number): Tree {
	const reader = new Reader(bytes),
		modules: string[] = [];
	for (let i = reader.number(); i > 0; i--) modules.push(reader.string());
	const count = reader.number();
	const frames: Frames = { n: count, name: [], module: [], kind: new Uint8Array(count), hue: new Uint32Array(count) };
	const text = new TextDecoder();
	for (let i = 0; i < count; i++) {
		frames.kind[i] = reader.number();
		frames.module.push(modules[reader.number()] ?? "");
		const raw = reader.raw();
		frames.hue[i] = hueOf(raw);
		frames.name.push(text.decode(raw));
	}
	const nodes = reader.number(),
		frame = new Uint32Array(nodes),
		depth = new Uint16Array(nodes);
	const self = Array.from({ length: weights }, () => new Float64Array(nodes));
	for (let i = 0, level = -1; i < nodes; i++) {
		level = Math.max(0, level + 1 - reader.number());
		depth[i] = level;
		frame[i] = Math.min(reader.number(), Math.max(0, count - 1));
		for (const own of self) own[i] = reader.number();
	}
	const paths: string[] = [];
	for (let i = reader.number(); i > 0; i--) paths.push(reader.string());
	if (paths.length)
		frames.source = Array.from({ length: count }, () => {
			const path = paths[reader.number() - 1],
				line = reader.number();
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

	constructor(
		private readonly frames: Frames,
		private readonly weights: number,
	) {
		this.self = Array.from({ length: weights }, () => [0]);
	}

	/** The node of a frame that stands on a node; 0 is below all. */
	child(parent: number, frame: number): number {
		if (this.parent.length * 2 > this.table.length) this.grow();
		let at = this.slot(parent, frame);
		for (; ; at = (at + 1) & (this.table.length - 1)) {
			const i = this.table[at]!;
			if (i === 0) break;
			if (this.parent[i] === parent && this.frame[i] === frame) return i;
		}
		this.table[at] = this.parent.length;
		this.parent.push(parent);
		this.frame.push(frame);
		for (const weights of this.self) weights.push(0);
		return this.parent.length - 1;
	}

	add(node: number, from: Tree, i: number): void {
		for (let weight = 0; weight < this.weights; weight++) this.self[weight]![node]! += from.self[weight]![i]!;
	}

	weigh(node: number, weights: number[]): void {
		weights.forEach((width, weight) => {
			this.self[weight]![node]! += width;
		});
	}

	private slot(parent: number, frame: number): number {
		return ((Math.imul(parent, 0x9e3779b1) ^ Math.imul(frame + 1, 0x85ebca77)) >>> 7) & (this.table.length - 1);
	}

	private grow(): void {
		this.table = new Int32Array(this.table.length * 4);
		for (let i = 1; i < this.parent.length; i++) {
			let at = this.slot(this.parent[i]!, this.frame[i]!);
			while (this.table[at]) at = (at + 1) & (this.table.length - 1);
			this.table[at] = i;
		}
	}

	tree(): Tree {
		const count = this.parent.length,
			first = new Int32Array(count),
			next = new Int32Array(count);
		const order = Array.from({ length: count - 1 }, (_, i) => i + 1).sort(
			(a, b) => this.frame[b]! - this.frame[a]!,
		);
		for (const i of order) {
			// from the last name to the first: each goes in front
			next[i] = first[this.parent[i]!]!;
			first[this.parent[i]!] = i;
		}
		const frame = new Uint32Array(count - 1),
			depth = new Uint16Array(count - 1);
		const self = this.self.map(() => new Float64Array(count - 1));
		for (let i = first[0]!, level = 0, at = 0; i > 0; at++) {
			frame[at] = this.frame[i]!;
			depth[at] = level;
			this.self.forEach((weights, weight) => {
				self[weight]![at] = weights[i]!;
			});
			if (first[i]) {
				i = first[i]!;
				level++;
				continue;
			}
			while (i > 0 && !next[i]) {
				i = this.parent[i]!;
				level--;
			}
			i = i > 0 ? next[i]! : 0;
		}
		return new Tree(this.frames, frame, depth, self);
	}
}

function hasSelf(tree: Tree, i: number): boolean {
	return tree.self.some((weights) => weights[i]! > 0);
}

/** Stacks turned round: leaves first. */
export function reverse(tree: Tree): Tree {
	const builder = new Builder(tree.frames, tree.self.length);
	for (let i = 0; i < tree.n; i++) {
		if (!hasSelf(tree, i)) continue;
		let node = 0;
		for (let weight = i; weight >= 0; weight = tree.parent[weight]!)
			node = builder.child(node, tree.frame[weight]!);
		builder.add(node, tree, i);
	}
	return builder.tree();
}

/** What is around a function; of recursive calls the outermost counts. */
export function sandwich(tree: Tree, frame: number): { callers: Tree; callees: Tree } {
	const up = new Builder(tree.frames, tree.self.length),
		down = new Builder(tree.frames, tree.self.length);
	for (let i = 0; i < tree.n; i++) {
		if (!hasSelf(tree, i)) continue;
		const path = tree.path(i),
			at = path.findIndex((weight) => tree.frame[weight] === frame);
		if (at < 0) continue;
		let node = 0;
		for (let weight = at; weight < path.length; weight++) node = up.child(node, tree.frame[path[weight]!]!);
		up.add(node, tree, i);
		node = 0;
		for (let weight = at; weight >= 0; weight--) node = down.child(node, tree.frame[path[weight]!]!);
		down.add(node, tree, i);
	}
	return { callers: down.tree(), callees: up.tree() };
}

/** A function in all its places: what it used itself, and with what it called (each stack once). */
export interface Usage {
	frame: number;
	self: number[];
	total: number[];
}

export function usages(tree: Tree): Usage[] {
	const all: Usage[] = [],
		zero = () => tree.self.map(() => 0);
	for (let frame = 0; frame < tree.frames.n; frame++) all.push({ frame: frame, self: zero(), total: zero() });
	const open = new Int32Array(tree.frames.n).fill(-1); // end of the outermost node of the function
	for (let i = 0; i < tree.n; i++) {
		const usage = all[tree.frame[i]!]!,
			outermost = open[tree.frame[i]!]! <= i;
		if (outermost) open[tree.frame[i]!] = tree.end[i]!;
		for (let weight = 0; weight < tree.self.length; weight++) {
			usage.self[weight]! += tree.self[weight]![i]!;
			if (outermost) usage.total[weight]! += tree.total[weight]![i]!;
		}
	}
	return all.filter((usage) => usage.total.some((value) => value > 0));
}
