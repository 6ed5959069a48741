// SPDX-License-Identifier: Apache-2.0
// A flame graph on a canvas that is as large as what can be seen of it: only what is visible is drawn, frames of
// less than a pixel once per pixel. Knows nothing of the page around it.
import { on } from "./dom.js";
import { perFrame, prepare } from "./canvas.js";
import { firstWhere } from "./short.js";
import { changeColours, changeIndex, cssColour, cssFont, isDark, Kind, kindColours, kindIndex, onTheme } from "./theme.js";
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
const SIGNIFICANT = 2; // standard deviations, as in src/view/picture/flame_layout.c

export class FlameView {
	readonly canvas = document.createElement("canvas");
	private readonly spacer = document.createElement("div");
	private readonly ctx = this.canvas.getContext("2d")!;
	private picture: Picture | null = null;
	private rows: { tree: Tree, depth: number }[] = [];
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

	constructor(private readonly host: HTMLElement, private readonly opts: FlameOptions) {
		host.classList.add("flame");
		this.spacer.className = "flame-spacer";
		host.append(this.canvas, this.spacer);
		on(host, "scroll", () => this.redraw());
		new ResizeObserver(() => this.redraw()).observe(host);
		onTheme(() => this.restyle());
		on(this.canvas, "pointermove", (e) => this.onHover(this.at(e.offsetX, e.offsetY), e.clientX, e.clientY));
		on(this.canvas, "pointerleave", () => this.onHover(null, 0, 0));
		on(this.canvas, "click", (e) => {
			const p = this.at(e.offsetX, e.offsetY);
			if (p) {
				this.select(p);
				this.zoom(p);
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
		this.host.scrollTop = inverted || picture.down ? this.rowOf(picture.up, 0) * ROW - this.host.clientHeight / 2 :
			this.rows.length * ROW;
		this.redraw();
	}

	private layRows(): void {
		const { up, down } = this.picture!;
		const rows = up.levels.map((_, depth) => ({ tree: up, depth })).reverse();
		for (let d = 1; down && d < down.levels.length; d++)
			rows.push({ tree: down, depth: d });
		this.rows = this.inverted ? rows.reverse() : rows;
		this.spacer.style.height = this.rows.length * ROW + "px";
	}

	/** Flames stand on the ground, also where there is more room than they need. */
	private offset(): number {
		return this.inverted || this.picture?.down ? 0 : Math.max(0, this.host.clientHeight - this.rows.length * ROW);
	}

	private rowOf(tree: Tree, depth: number): number {
		return this.rows.findIndex((r) => r.tree === tree && r.depth === depth);
	}

	get zoomedAt(): Place | null { return this.zoomed; }
	get selectedAt(): Place | null { return this.selected; }

	/** Shows a node at full width; null: everything. */
	zoom(p: Place | null): void {
		this.zoomed = p;
		this.from = p ? p.tree.x[p.node]! : 0;
		this.span = p ? Math.max(p.tree.w[p.node]!, 1e-12) : 1;
		this.reveal(p);
		this.redraw();
		this.onZoom();
	}

	select(p: Place | null): void {
		this.selected = p;
		this.reveal(p);
		this.redraw();
		this.onSelect();
	}

	private reveal(p: Place | null): void {
		if (!p)
			return;
		const y = this.rowOf(p.tree, p.tree.depth[p.node]!) * ROW, h = this.host.clientHeight;
		if (y < this.host.scrollTop)
			this.host.scrollTop = y - 2 * ROW;
		else if (y + ROW > this.host.scrollTop + h)
			this.host.scrollTop = y + 3 * ROW - h;
	}

	/** Frames (by number) to be marked; null: none. */
	mark(found: Uint8Array | null): void {
		this.found = found;
		this.redraw();
	}

	/** The frame at a point of the canvas. */
	at(x: number, y: number): Place | null {
		const row = this.rows[Math.floor((y - this.offset() + this.host.scrollTop) / ROW)];
		const v = this.from + (x / this.canvas.clientWidth) * this.span;
		if (!row)
			return null;
		const level = row.tree.levels[row.depth]!, k = this.lastFrom(row.tree, level, v);
		const node = level[k];
		return node !== undefined && row.tree.x[node]! + row.tree.w[node]! > v ? { tree: row.tree, node } : null;
	}

	/** The neighbour of the selected frame: towards the leaves, the root, or beside it. */
	move(towards: "out" | "in" | "left" | "right"): void {
		const s = this.selected ?? this.zoomed;
		if (!s) {
			if (this.picture && this.picture.up.n > 0)
				this.select({ tree: this.picture.up, node: 0 });
			return;
		}
		const t = s.tree;
		let node = -1;
		if (towards === "in") {
			node = t.parent[s.node]!;
		} else if (towards === "out") {
			for (let c = s.node + 1; c < t.end[s.node]!; c = t.end[c]!)
				if (node < 0 || t.w[c]! > t.w[node]!)
					node = c;
		} else {
			const level = t.levels[t.depth[s.node]!]!, k = this.lastFrom(t, level, t.x[s.node]!);
			node = level[k + (towards === "left" ? -1 : 1)] ?? -1;
		}
		if (node >= 0)
			this.select({ tree: t, node });
	}

	/** Index of the last node of a level that begins at v or before. */
	private lastFrom(t: Tree, level: Uint32Array, v: number): number {
		return firstWhere(level.length, (i) => t.x[level[i]!]! > v) - 1;
	}

	// -- drawing --

	private restyle(): void {
		const dark = isDark();
		this.colours = this.opts.diff ? changeColours(dark) : kindColours(this.opts.kinds, dark);
		this.measure();
		this.redraw();
	}

	private measure(): void {
		this.ctx.font = cssFont();
		for (let c = 32; c < 127; c++)
			this.widths[c] = this.ctx.measureText(String.fromCharCode(c)).width;
		this.ellipsis = this.ctx.measureText("…").width;
		this.other = this.ctx.measureText("m").width;
	}

	private draw(): void {
		const w = this.host.clientWidth, h = this.host.clientHeight, c = this.ctx, began = performance.now();
		if (!this.picture || !prepare(this.canvas, c, w, h))
			return;
		c.font = cssFont();
		c.textBaseline = "middle";
		const top = this.host.scrollTop - this.offset(), first = Math.max(0, Math.floor(top / ROW));
		for (let r = first; r < this.rows.length && r * ROW < top + h; r++)
			this.drawRow(this.rows[r]!.tree, this.rows[r]!.depth, r * ROW - top, w);
		this.drawSelected(w, top);
		this.drawn = performance.now() - began;
	}

	private drawRow(t: Tree, depth: number, y: number, width: number): void {
		const level = t.levels[depth]!, to = this.from + this.span, scale = width / this.span, c = this.ctx;
		const accent = cssColour("--found"), text = cssColour("--text");
		for (let k = Math.max(0, this.lastFrom(t, level, this.from)); k < level.length; k++) {
			const i = level[k]!;
			if (t.x[i]! >= to)
				break;
			const a = Math.max(0, (t.x[i]! - this.from) * scale);
			const b = Math.min(width, (t.x[i]! + t.w[i]! - this.from) * scale);
			if (b <= 0)
				continue;
			if (b - a < 1) {
				k = this.drawPixel(t, level, k, Math.floor(a), y, scale, accent);
				continue;
			}
			const found = this.found !== null && this.found[t.frame[i]!] === 1;
			const below = t.w[i]! > this.span * 1.000001; // what is shown stands on it
			c.globalAlpha = below ? 0.4 : 1;
			c.fillStyle = found ? accent : this.colours[this.colour(t, i)]!;
			c.fillRect(a, y, Math.max(b - a - (b - a > 3 ? 1 : 0.3), 0.7), ROW - 1);
			c.globalAlpha = 1;
			if (b - a >= LABEL_MIN)
				this.label(t, t.frame[i]!, a + PAD, y + ROW / 2, b - a - 2 * PAD, found ? "#fff" : below ? text : "#16181d");
		}
	}

	/** All narrow frames that begin within one pixel; returns the last one's index. */
	private drawPixel(t: Tree, level: Uint32Array, k: number, px: number, y: number, scale: number, accent: string): number {
		const next = this.from + (px + 1) / scale, i = level[k]!;
		let last = Math.max(k, this.lastFrom(t, level, next - 1e-15));
		if (last > k && t.w[level[last]!]! * scale >= 1) // begins here, but is wide: drawn by itself
			last--;
		let found = false;
		for (let m = k; this.found && m <= last && !found; m++)
			found = this.found[t.frame[level[m]!]!] === 1;
		if (last > k || t.w[i]! * scale >= TINY || found) {
			this.ctx.globalAlpha = last > k ? 1 : Math.max(0.35, t.w[i]! * scale);
			this.ctx.fillStyle = found ? accent : this.colours[this.colour(t, i)]!;
			this.ctx.fillRect(px, y, 1, ROW - 1);
			this.ctx.globalAlpha = 1;
		}
		return last;
	}

	private drawSelected(width: number, top: number): void {
		const s = this.selected;
		if (!s)
			return;
		const row = this.rowOf(s.tree, s.tree.depth[s.node]!), scale = width / this.span;
		const a = Math.max(0, (s.tree.x[s.node]! - this.from) * scale);
		const b = Math.min(width, (s.tree.x[s.node]! + s.tree.w[s.node]! - this.from) * scale);
		this.ctx.strokeStyle = cssColour("--text");
		this.ctx.lineWidth = 1.5;
		if (row >= 0 && b > a)
			this.ctx.strokeRect(a + 0.75, row * ROW - top + 0.75, Math.max(b - a - 1.5, 1), ROW - 2);
	}

	private colour(t: Tree, i: number): number {
		const f = t.frame[i]!;
		return this.opts.diff ? changeIndex(this.change(t, i)) : kindIndex(t.frames.kind[f]!, t.frames.hue[f]!);
	}

	/** How much of a frame is new (1) or vanished (-1). */
	change(t: Tree, i: number): number {
		const before = t.share(i, 0), after = t.share(i, 1), sum = before + after;
		if (sum <= 0 || !t.whole[0] || !t.whole[1])
			return 0;
		if (this.opts.significance) {
			const sigma = Math.hypot(Math.sqrt(t.total[0]![i]! || 1) / t.whole[0], Math.sqrt(t.total[1]![i]! || 1) / t.whole[1]);
			if (Math.abs(after - before) < SIGNIFICANT * sigma)
				return 0;
		}
		return (after - before) / sum;
	}

	name(t: Tree, frame: number): string {
		const { name, module, kind } = t.frames;
		return kind[frame] === this.opts.unknown && module[frame] ? module[frame] + " " + name[frame] : name[frame]!;
	}

	private label(t: Tree, frame: number, x: number, y: number, room: number, colour: string): void {
		const name = this.name(t, frame);
		let sum = 0, n = 0, cut = 0;
		for (; n < name.length; n++) {
			const code = name.charCodeAt(n);
			sum += code < 127 ? this.widths[code]! : this.other;
			if (sum + this.ellipsis <= room)
				cut = n + 1;
			if (sum > room)
				break;
		}
		if (n < name.length && cut < 2)
			return;
		this.ctx.fillStyle = colour;
		this.ctx.fillText(n === name.length ? name : name.slice(0, cut) + "…", x, y);
	}
}
