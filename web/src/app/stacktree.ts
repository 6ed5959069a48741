// SPDX-License-Identifier: Apache-2.0
// Makes a tree of stacks whose frames are texts, as the results of a program have them. Knows no page.
import { Builder, Frames, hueOf, Tree } from "../tree.js";
import { FrameKinds } from "./api.js";

/** The kind of a function of a language runtime, "function at file:line". */
function runtimeOf(name: string): string | undefined {
	const file = / at (.*?)(:\d+){0,2}$/.exec(name)?.[1];
	if (name.endsWith(" [builtin]")) return "javascript";
	if (file === undefined) return undefined;
	if (file.endsWith(".java")) return "java";
	return /\.py$|^<frozen /.test(file) ? "python" : "javascript";
}

/** The kind (by its name in framekind.def) of a frame "module`function". */
function kindOf(name: string): string {
	if (/^0x[0-9a-f]+$/.test(name)) return "unknown";
	const tick = name.indexOf("`"),
		module = name.slice(0, tick);
	if (tick < 0) return runtimeOf(name) ?? "thread";
	if (module === "[jit]") return "jit";
	if (/\.so|^\[/.test(module)) return "library";
	return /^[a-z0-9_]+$/.test(module) && (module === "vmlinux" || !name.includes("::")) ? "kernel" : "user";
}

const utf8 = new TextEncoder();

/** Gives each function a number, and what is known of it by its name alone. */
class Names {
	readonly frames: Frames = { n: 0, name: [], module: [], kind: new Uint8Array(64), hue: new Uint32Array(64) };
	private readonly at = new Map<string, number>();
	private readonly kind: Map<string, number>;

	constructor(kinds: FrameKinds) {
		this.kind = new Map(kinds.kinds.map((kind, i) => [kind.name, i]));
	}

	/** The number of a frame "module`function+0x12", without the offset. */
	take(full: string): number {
		const frames = this.frames,
			name = full.replace(/\+0x[0-9a-f]+$/, "");
		let i = this.at.get(name);
		if (i !== undefined) return i;
		i = frames.n++;
		if (frames.n > frames.kind.length) {
			const kind = new Uint8Array(2 * frames.n),
				hue = new Uint32Array(2 * frames.n);
			kind.set(frames.kind);
			hue.set(frames.hue);
			frames.kind = kind;
			frames.hue = hue;
		}
		const tick = name.indexOf("`");
		frames.name.push(name.slice(tick + 1));
		frames.module.push(tick > 0 ? name.slice(0, tick) : "");
		frames.kind[i] = this.kind.get(kindOf(name)) ?? 0;
		frames.hue[i] = hueOf(utf8.encode(frames.name[i]));
		this.at.set(name, i);
		return i;
	}
}

/** The tree of stacks, the root first in each. */
export function treeOf(stacks: { frames: string[]; weight: number }[], kinds: FrameKinds): Tree {
	return weightedTree(
		stacks.map(({ frames, weight }) => ({ frames, weights: [weight] })),
		kinds,
	);
}

/** The same with several weights for each stack. */
export function weightedTree(stacks: readonly { frames: string[]; weights: number[] }[], kinds: FrameKinds): Tree {
	const names = new Names(kinds),
		numbered = stacks.map((stack) => stack.frames.map((frame) => names.take(frame)));
	const builder = new Builder(names.frames, stacks[0]?.weights.length ?? 1);
	stacks.forEach((stack, i) => {
		let node = 0;
		for (const frame of numbered[i]!) node = builder.child(node, frame);
		builder.weigh(node, stack.weights);
	});
	return builder.tree();
}
