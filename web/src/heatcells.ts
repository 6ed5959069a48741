// SPDX-License-Identifier: Apache-2.0
// The cells of a heat map: what is counted when keys are selected, and the pixel of each cell. Knows no canvas.
import { UNCHOSEN } from "./appearance.js";
import { GREY_PIXEL, gradientPixels, opacityOf, pixelOf, shadesTo } from "./heatcolour.js";
import {
	addPlane,
	addPlanes,
	Cell,
	Counts,
	HeatHead,
	histogram,
	levelCells,
	levelTable,
	Plane,
	Scale,
	Selecting,
} from "./heatmodel.js";
import { keyColour } from "./keycolour.js";
import { firstWhere } from "./math.js";

/** The levels of all cells: by a table of counts where counts are small, else for each cell. */
type Levels = { byCount: Float32Array } | { byCell: Float32Array };

export class HeatCells {
	scale: Scale = "rank";
	selecting: Selecting = "highlight";
	/** Indices of planes. */
	readonly selected = new Set<number>();
	/** Counts of what is shown. */
	counts!: Counts;
	private all!: Counts;
	private allHistogram!: Uint32Array | null; // null: counts are too large
	private part: Counts | null = null; // when not all keys are counted
	private cellsByCount!: Uint32Array | null; // of what is shown
	private pixels = new Uint32Array(0);

	constructor(
		public head: HeatHead,
		public planes: Plane[],
	) {
		this.load();
	}

	/** Takes in all planes. */
	load(): void {
		this.all = addPlanes(this.planes, this.head.columns * this.head.rows);
		this.allHistogram = histogram(this.all);
		this.part = null;
		this.recount();
	}

	/** Takes newer cells of the same map. Keys stay selected by their index among the planes. */
	update(head: HeatHead, planes: Plane[]): void {
		this.head = head;
		this.planes = planes;
		this.load();
	}

	toggle(key: number): void {
		if (!this.selected.delete(key)) this.selected.add(key);
		this.recount();
	}

	/** Whether selected keys are in their own colours. */
	get inKeyColours(): boolean {
		return this.selected.size > 0 && this.selecting !== "exclude";
	}

	/** Counts again, after keys were selected. */
	recount(): void {
		this.counts = this.all;
		this.cellsByCount = this.allHistogram;
		if (this.selected.size === 0 || this.selecting === "highlight") return;
		const isolate = this.selecting === "isolate",
			part = (this.part ??= this.all.slice());
		if (isolate) part.fill(0);
		else part.set(this.all);
		for (const plane of this.selectedPlanes()) addPlane(part, plane, isolate ? 1 : -1);
		this.counts = part;
		this.cellsByCount = histogram(part);
	}

	private selectedPlanes(): Plane[] {
		return [...this.selected].flatMap((key) => this.planes[key] ?? []);
	}

	count(cell: Cell): number {
		return this.counts[cell.column * this.head.rows + cell.row]!;
	}

	/** The keys of a cell, the largest first. */
	keysOf(cell: Cell): { key: number; count: number }[] {
		const wanted = cell.column * this.head.rows + cell.row,
			found: { key: number; count: number }[] = [];
		this.planes.forEach(({ index, count }, key) => {
			const at = firstWhere(index.length, (i) => index[i]! >= wanted);
			if (index[at] === wanted) found.push({ key, count: count[at]! });
		});
		return found.sort((a, b) => b.count - a.count);
	}

	/** The pixel of each cell, in the order of the counts. The array is used again by the next call. */
	paint(dark: boolean): Uint32Array {
		const levels: Levels = this.cellsByCount
			? { byCount: levelTable(this.cellsByCount, this.scale) }
			: { byCell: levelCells(this.counts, this.scale) };
		if (this.pixels.length !== this.counts.length) this.pixels = new Uint32Array(this.counts.length);
		if (this.inKeyColours) this.paintKeys(levels);
		else this.paintLevels(levels, gradientPixels(dark));
		return this.pixels;
	}

	private paintLevels(levels: Levels, gradient: Uint32Array): void {
		this.paintEach(levels, (level) => (level > 0 ? gradient[Math.round(level * 255)]! : 0));
	}

	/** Gives each cell the pixel of its level. */
	private paintEach(levels: Levels, pixelOfLevel: (level: number) => number): void {
		const { counts, pixels } = this;
		if ("byCount" in levels) {
			const table = Uint32Array.from(levels.byCount, pixelOfLevel);
			for (let i = 0; i < counts.length; i++) pixels[i] = table[counts[i]!]!;
		} else {
			for (let i = 0; i < counts.length; i++) pixels[i] = pixelOfLevel(levels.byCell[i]!);
		}
	}

	/** Selected keys in their colours, by the share that each has of a cell; what is not selected is grey. */
	private paintKeys(levels: Levels): void {
		const planes = this.selectedPlanes();
		if (this.selecting === "isolate")
			this.pixels.fill(0); // cells of other keys are empty
		else this.paintEach(levels, (level) => (level > 0 ? (opacityOf(level) | GREY_PIXEL) >>> 0 : 0));
		const opacities = "byCount" in levels ? Uint32Array.from(levels.byCount, opacityOf) : null,
			opacity = (cell: number) =>
				opacities
					? opacities[this.counts[cell]!]!
					: opacityOf((levels as { byCell: Float32Array }).byCell[cell]!);
		if (planes.length === 1) this.paintKey(planes[0]!, opacity);
		else this.paintMixed(planes, opacity);
	}

	private paintKey({ key, index, count }: Plane, opacity: (cell: number) => number): void {
		const { counts, pixels } = this,
			shades = shadesTo(keyColour(key));
		for (let i = 0; i < index.length; i++) {
			const cell = index[i]!;
			pixels[cell] = shades[((255 * count[i]!) / counts[cell]!) | 0]! | opacity(cell);
		}
	}

	/** Several keys: a cell has of the colour of each as much as of its counts. */
	private paintMixed(planes: readonly Plane[], opacity: (cell: number) => number): void {
		const mixed = new Float32Array(3 * this.counts.length),
			[red, green, blue] = UNCHOSEN;
		for (const { key, index, count } of planes) {
			const colour = keyColour(key);
			for (let i = 0; i < index.length; i++) {
				const cell = index[i]!,
					at = 3 * cell,
					share = count[i]! / (this.counts[cell] || 1);
				mixed[at]! += share * (colour[0] - red);
				mixed[at + 1]! += share * (colour[1] - green);
				mixed[at + 2]! += share * (colour[2] - blue);
				this.pixels[cell] =
					pixelOf(red + mixed[at]!, green + mixed[at + 1]!, blue + mixed[at + 2]!) | opacity(cell);
			}
		}
	}
}
