// SPDX-License-Identifier: Apache-2.0
// A flame graph on a canvas that is as large as what can be seen of it: only what is visible is drawn, frames of
// less than a pixel once per pixel. Knows nothing of the page around it.
import { INK, SIGNIFICANT_DEVIATIONS } from "./appearance.js";
import { listen } from "./element.js";
import { perFrame, prepare } from "./canvas.js";
import { firstWhere } from "./math.js";
import {
	changeColours,
	changeIndex,
	cssColour,
	cssFont,
	isDark,
	Kind,
	kindColours,
	kindIndex,
	onTheme,
} from "./theme.js";
import { Tree } from "./tree.js";

export interface FlameOptions {
	kinds: Kind[];
	/** Kinds whose names say nothing: the module stands in front of them. */
	unknown: number;
	diff: boolean;
	/** Differences that chance makes are grey. */
	significance: boolean;
}

/** What is drawn: stacks upwards, and for a sandwich those of the callers downwards, with the same first frame. */
export interface Picture {
	up: Tree;
	down?: Tree;
}

export interface Place {
	tree: Tree;
	node: number;
}

const ROW = 18;
const PAD = 3; // px between a frame's edge and its text
const LABEL_MIN = 24; // px of a frame that gets a text
const TINY = 0.1; // px: alone, such a frame is not drawn

export class FlameView {
	readonly canvas = document.createElement("canvas");
	private readonly spacer = document.createElement("div");
	private readonly context = this.canvas.getContext("2d")!;
	private picture: Picture | null = null;
	private rows: { tree: Tree; depth: number }[] = [];
	private inverted = false;
	private from = 0;
	private span = 1;
	private colours: string[] = [];
	private widths = new Float32Array(128);
	private ellipsis = 0;
	private other = 7;
	private found: Uint8Array | null = null;
	private zoomed: Place | null = null;
	private selected: Place | null = null;
	readonly redraw = perFrame(() => this.draw());
	/** Milliseconds of the last drawing; for tests. */
	drawn = 0;

	onHover: (place: Place | null, x: number, y: number) => void = () => {};
	onZoom: () => void = () => {};
	onSelect: () => void = () => {};

	constructor(
		private readonly host: HTMLElement,
		private readonly opts: FlameOptions,
	) {
		host.classList.add("flame");
		this.spacer.className = "flame-spacer";
		host.append(this.canvas, this.spacer);
		listen(host, "scroll", () => this.redraw());
		new ResizeObserver(() => this.redraw()).observe(host);
		onTheme(() => this.restyle());
		listen(this.canvas, "pointermove", (event) =>
			this.onHover(this.at(event.offsetX, event.offsetY), event.clientX, event.clientY),
		);
		listen(this.canvas, "pointerleave", () => this.onHover(null, 0, 0));
		listen(this.canvas, "click", (event) => {
			const place = this.at(event.offsetX, event.offsetY);
			if (place) {
				this.select(place);
				this.zoom(place);
			}
		});
		this.restyle();
	}

	show(picture: Picture, inverted: boolean): void {
		this.picture = picture;
		this.inverted = inverted;
		this.zoomed = this.selected = null;
		this.from = 0;
		this.span = 1;
		this.layRows();
		this.host.scrollTop =
			inverted || picture.down
				? this.rowOf(picture.up, 0) * ROW - this.host.clientHeight / 2
				: this.rows.length * ROW;
		this.redraw();
	}

	private layRows(): void {
		const { up, down } = this.picture!;
		const rows = up.levels.map((_, depth) => ({ tree: up, depth })).reverse();
		for (let depth = 1; down && depth < down.levels.length; depth++) rows.push({ tree: down, depth: depth });
		this.rows = this.inverted ? rows.reverse() : rows;
		this.spacer.style.height = this.rows.length * ROW + "px";
	}

	/** Flames stand on the ground, also where there is more room than they need. */
	private offset(): number {
		return this.inverted || this.picture?.down ? 0 : Math.max(0, this.host.clientHeight - this.rows.length * ROW);
	}

	private rowOf(tree: Tree, depth: number): number {
		return this.rows.findIndex((row) => row.tree === tree && row.depth === depth);
	}

	get zoomedAt(): Place | null {
		return this.zoomed;
	}
	get selectedAt(): Place | null {
		return this.selected;
	}

	/** Shows a node at full width; null: everything. */
	zoom(place: Place | null): void {
		this.zoomed = place;
		this.from = place ? place.tree.x[place.node]! : 0;
		this.span = place ? Math.max(place.tree.w[place.node]!, 1e-12) : 1;
		this.reveal(place);
		this.redraw();
		this.onZoom();
	}

	select(place: Place | null): void {
		this.selected = place;
		this.reveal(place);
		this.redraw();
		this.onSelect();
	}

	private reveal(place: Place | null): void {
		if (!place) return;
		const y = this.rowOf(place.tree, place.tree.depth[place.node]!) * ROW,
			height = this.host.clientHeight;
		if (y < this.host.scrollTop) this.host.scrollTop = y - 2 * ROW;
		else if (y + ROW > this.host.scrollTop + height) this.host.scrollTop = y + 3 * ROW - height;
	}

	/** Frames (by number) to be marked; null: none. */
	mark(found: Uint8Array | null): void {
		this.found = found;
		this.redraw();
	}

	/** The frame at a point of the canvas. */
	at(x: number, y: number): Place | null {
		const row = this.rows[Math.floor((y - this.offset() + this.host.scrollTop) / ROW)];
		const value = this.from + (x / this.canvas.clientWidth) * this.span;
		if (!row) return null;
		const level = row.tree.levels[row.depth]!,
			index = this.lastFrom(row.tree, level, value);
		const node = level[index];
		return node !== undefined && row.tree.x[node]! + row.tree.w[node]! > value ? { tree: row.tree, node } : null;
	}

	/** The neighbour of the selected frame: towards the leaves, the root, or beside it. */
	move(towards: "out" | "in" | "left" | "right"): void {
		const selected = this.selected ?? this.zoomed;
		if (!selected) {
			if (this.picture && this.picture.up.n > 0) this.select({ tree: this.picture.up, node: 0 });
			return;
		}
		const tree = selected.tree;
		let node = -1;
		if (towards === "in") {
			node = tree.parent[selected.node]!;
		} else if (towards === "out") {
			for (let child = selected.node + 1; child < tree.end[selected.node]!; child = tree.end[child]!)
				if (node < 0 || tree.w[child]! > tree.w[node]!) node = child;
		} else {
			const level = tree.levels[tree.depth[selected.node]!]!,
				index = this.lastFrom(tree, level, tree.x[selected.node]!);
			node = level[index + (towards === "left" ? -1 : 1)] ?? -1;
		}
		if (node >= 0) this.select({ tree: tree, node });
	}

	/** Index of the last node of a level that begins at v or before. */
	private lastFrom(tree: Tree, level: Uint32Array, value: number): number {
		return firstWhere(level.length, (i) => tree.x[level[i]!]! > value) - 1;
	}

	// -- drawing --

	private restyle(): void {
		const dark = isDark();
		this.colours = this.opts.diff ? changeColours(dark) : kindColours(this.opts.kinds, dark);
		this.measure();
		this.redraw();
	}

	private measure(): void {
		this.context.font = cssFont();
		for (let child = 32; child < 127; child++)
			this.widths[child] = this.context.measureText(String.fromCharCode(child)).width;
		this.ellipsis = this.context.measureText("…").width;
		this.other = this.context.measureText("m").width;
	}

	private draw(): void {
		const width = this.host.clientWidth,
			height = this.host.clientHeight,
			context = this.context,
			began = performance.now();
		if (!this.picture || !prepare(this.canvas, context, width, height)) return;
		context.font = cssFont();
		context.textBaseline = "middle";
		const top = this.host.scrollTop - this.offset(),
			first = Math.max(0, Math.floor(top / ROW));
		for (let row = first; row < this.rows.length && row * ROW < top + height; row++)
			this.drawRow(this.rows[row]!.tree, this.rows[row]!.depth, row * ROW - top, width);
		this.drawSelected(width, top);
		this.drawn = performance.now() - began;
	}

	private drawRow(tree: Tree, depth: number, y: number, width: number): void {
		const level = tree.levels[depth]!,
			to = this.from + this.span,
			scale = width / this.span,
			context = this.context;
		const accent = cssColour("--found"),
			text = cssColour("--text");
		for (let index = Math.max(0, this.lastFrom(tree, level, this.from)); index < level.length; index++) {
			const i = level[index]!;
			if (tree.x[i]! >= to) break;
			const a = Math.max(0, (tree.x[i]! - this.from) * scale);
			const b = Math.min(width, (tree.x[i]! + tree.w[i]! - this.from) * scale);
			if (b <= 0) continue;
			if (b - a < 1) {
				index = this.drawPixel(tree, level, index, Math.floor(a), y, scale, accent);
				continue;
			}
			const found = this.found !== null && this.found[tree.frame[i]!] === 1;
			const below = tree.w[i]! > this.span * 1.000001; // what is shown stands on it
			context.globalAlpha = below ? 0.4 : 1;
			context.fillStyle = found ? accent : this.colours[this.colour(tree, i)]!;
			context.fillRect(a, y, Math.max(b - a - (b - a > 3 ? 1 : 0.3), 0.7), ROW - 1);
			context.globalAlpha = 1;
			if (b - a >= LABEL_MIN)
				this.label(
					tree,
					tree.frame[i]!,
					a + PAD,
					y + ROW / 2,
					b - a - 2 * PAD,
					found ? "#fff" : below ? text : INK,
				);
		}
	}

	/** All narrow frames that begin within one pixel; returns the last one's index. */
	private drawPixel(
		tree: Tree,
		level: Uint32Array,
		index: number,
		px: number,
		y: number,
		scale: number,
		accent: string,
	): number {
		const next = this.from + (px + 1) / scale,
			i = level[index]!;
		let last = Math.max(index, this.lastFrom(tree, level, next - 1e-15));
		if (last > index && tree.w[level[last]!]! * scale >= 1)
			// begins here, but is wide: drawn by itself
			last--;
		let found = false;
		for (let other = index; this.found && other <= last && !found; other++)
			found = this.found[tree.frame[level[other]!]!] === 1;
		if (last > index || tree.w[i]! * scale >= TINY || found) {
			this.context.globalAlpha = last > index ? 1 : Math.max(0.35, tree.w[i]! * scale);
			this.context.fillStyle = found ? accent : this.colours[this.colour(tree, i)]!;
			this.context.fillRect(px, y, 1, ROW - 1);
			this.context.globalAlpha = 1;
		}
		return last;
	}

	private drawSelected(width: number, top: number): void {
		const selected = this.selected;
		if (!selected) return;
		const row = this.rowOf(selected.tree, selected.tree.depth[selected.node]!),
			scale = width / this.span;
		const a = Math.max(0, (selected.tree.x[selected.node]! - this.from) * scale);
		const b = Math.min(
			width,
			(selected.tree.x[selected.node]! + selected.tree.w[selected.node]! - this.from) * scale,
		);
		this.context.strokeStyle = cssColour("--text");
		this.context.lineWidth = 1.5;
		if (row >= 0 && b > a)
			this.context.strokeRect(a + 0.75, row * ROW - top + 0.75, Math.max(b - a - 1.5, 1), ROW - 2);
	}

	private colour(tree: Tree, i: number): number {
		const frame = tree.frame[i]!;
		return this.opts.diff
			? changeIndex(this.change(tree, i))
			: kindIndex(tree.frames.kind[frame]!, tree.frames.hue[frame]!);
	}

	/** How much of a frame is new (1) or vanished (-1). */
	change(tree: Tree, i: number): number {
		const before = tree.share(i, 0),
			after = tree.share(i, 1),
			sum = before + after;
		if (sum <= 0 || !tree.whole[0] || !tree.whole[1]) return 0;
		if (this.opts.significance) {
			const sigma = Math.hypot(
				Math.sqrt(tree.total[0]![i]! || 1) / tree.whole[0],
				Math.sqrt(tree.total[1]![i]! || 1) / tree.whole[1],
			);
			if (Math.abs(after - before) < SIGNIFICANT_DEVIATIONS * sigma) return 0;
		}
		return (after - before) / sum;
	}

	name(tree: Tree, frame: number): string {
		const { name, module, kind } = tree.frames;
		return kind[frame] === this.opts.unknown && module[frame] ? module[frame] + " " + name[frame] : name[frame]!;
	}

	private label(tree: Tree, frame: number, x: number, y: number, room: number, colour: string): void {
		const name = this.name(tree, frame);
		let sum = 0,
			count = 0,
			cut = 0;
		for (; count < name.length; count++) {
			const code = name.charCodeAt(count);
			sum += code < 127 ? this.widths[code]! : this.other;
			if (sum + this.ellipsis <= room) cut = count + 1;
			if (sum > room) break;
		}
		if (count < name.length && cut < 2) return;
		this.context.fillStyle = colour;
		this.context.fillText(count === name.length ? name : name.slice(0, cut) + "…", x, y);
	}
}
