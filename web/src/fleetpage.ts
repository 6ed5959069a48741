// SPDX-License-Identifier: Apache-2.0
// The page of `dwell fleet serve`: outliers, the fleet's heat map, hosts by time, and the details of one host.
import { amount, number } from "./amount.js";
import { api, ApiError } from "./app/api.js";
import {
	errorMessage,
	Group,
	listen,
	makeButton,
	makeElement,
	makeGroup,
	makeSelect,
	makeSpacer,
	placeTip,
	replaceChildren,
} from "./element.js";
import {
	bucketBound,
	GridLine,
	GridModel,
	Look,
	NOTHING,
	Outlier,
	QUANTILES,
	RANGES,
	readLook,
	stepOf,
	withName,
	writeLook,
} from "./fleet/fleetdata.js";
import { showDetails } from "./fleet/hostdetails.js";
import { clockText, FleetHeat, GridCell, HostGrid } from "./fleet/hostgrid.js";
import { sleep } from "./math.js";
import { toggleTheme } from "./theme.js";

const POLL_MS = 400,
	AGAIN_S = 8, // what is asked for again while live: late rows replace earlier ones
	OUTLIERS_MS = 5000,
	ORDER_MS = 3000; // rows keep their places for so long

interface TrackerLine {
	tracker: string;
	hosts: number;
	count: number;
}

class FleetPage {
	private look: Look = readLook(location.hash);
	private model: GridModel | null = null;
	private outliers: Outlier[] = [];
	/** Counts the looks: an answer to an earlier one is dropped. */
	private turn = 0;
	private newest = 0;
	private readonly state = makeElement("span", "", "connection");
	private readonly summary = makeElement("span", "", "muted");
	private readonly choose = makeElement("div", "", "choose");
	private readonly list = makeElement("ul", "", "outliers");
	private readonly details = makeElement("section", "", "details");
	private readonly tip = makeElement("div", "", "tip");
	private readonly heat: FleetHeat;
	private readonly grid: HostGrid;
	private groups: Group[] = [];
	private ordered: { model: GridModel | null; of: string; at: number } = { model: null, of: "", at: 0 };
	private trackers: string[] = [];

	constructor(root: HTMLElement) {
		const head = makeElement("header", "", "head"),
			main = makeElement("main"),
			fleet = makeElement("div", "", "fleet"),
			pictures = makeElement("section", "", "pictures"),
			heatBox = makeElement("div"),
			gridBox = makeElement("div", "", "grid"),
			side = makeElement("section");
		this.state.role = "status";
		this.tip.hidden = true;
		head.append(
			makeElement("h1", "dwell fleet"),
			this.summary,
			makeSpacer(),
			this.state,
			makeButton("◐", "dark or light", toggleTheme),
		);
		pictures.append(
			makeElement("h2", "All hosts: latency by time"),
			heatBox,
			makeElement("h2", "Each host by time"),
			gridBox,
		);
		side.append(makeElement("h2", "Slower than their peers"), this.list);
		fleet.append(this.choose, pictures, side, this.details);
		main.append(fleet, this.tip);
		replaceChildren(root, head, main);
		this.heat = new FleetHeat(heatBox);
		this.grid = new HostGrid(gridBox);
		this.grid.onHover = (cell, x, y) => this.hover(cell, x, y);
		this.grid.onPick = (cell) => this.set({ host: cell.host });
		listen(window, "hashchange", () => this.open());
		this.open();
		void this.poll();
		void this.pollOutliers();
	}

	/** Changes what is looked at; the address tells it. */
	private set(change: Partial<Look>): void {
		const hash = writeLook({ ...this.look, ...change });
		if (hash === location.hash) return;
		location.hash = hash;
	}

	private open(): void {
		const before = this.look,
			look = (this.look = readLook(location.hash));
		const same =
			this.model &&
			writeLook({ ...before, host: "" }) === writeLook({ ...look, host: "" }) &&
			look.tracker === before.tracker;
		if (!same) {
			this.turn++;
			this.model = null;
		}
		this.grid.selected = look.host;
		this.grid.redraw();
		this.showChoices();
		void this.showDetails();
	}

	private get range(): { from: number; to: number } {
		const { look } = this,
			now = Math.floor(Date.now() / 1000);
		return look.from ? { from: look.from, to: look.to } : { from: now - look.range, to: now };
	}

	private ask<T>(question: string, params: Record<string, string | number>): Promise<T[]> {
		return api.fleet<T>(question, { hosts: this.look.hosts, except: this.look.except, ...params });
	}

	// -- what is chosen --

	private showChoices(): void {
		const { look } = this;
		this.groups = [
			makeGroup(
				QUANTILES.map(([value, text]) => [value, text, `colour: ${text}`] as const),
				(value) => look.quantile === value,
				(quantile) => this.set({ quantile }),
			),
			makeGroup(
				RANGES.map(([value, text]) => [value, text, `the last ${text}`] as const),
				(value) => !look.from && look.range === value,
				(range) => this.set({ range, from: 0, to: 0 }),
			),
		];
		const live = makeButton(look.from ? "Live" : "Hold", look.from ? "go on" : "keep what is shown", () => {
			const { from, to } = this.range;
			this.set(look.from ? { from: 0, to: 0 } : { from, to });
		});
		replaceChildren(
			this.choose,
			makeSelect(
				"Tracker",
				(this.trackers.length ? this.trackers : [look.tracker]).map((name) => [name, name] as const),
				look.tracker,
				(tracker) => this.set({ tracker }),
			),
			...this.groups.map((group) => group.element),
			live,
			...this.makeSelectors(),
		);
	}

	private makeSelectors(): HTMLElement[] {
		const make = (key: "hosts" | "except", label: string, hint: string) => {
			const input = makeElement("input");
			input.value = this.look[key];
			input.placeholder = hint;
			input.ariaLabel = label;
			listen(input, "change", () => this.set({ [key]: input.value.trim() }));
			return input;
		};
		return [
			make("hosts", "Only these hosts", "only: web*, role=db"),
			make("except", "Not these hosts", "not: web-17"),
			...(this.look.hosts || this.look.except
				? [makeButton("All hosts", "take the selection away", () => this.set({ hosts: "", except: "" }))]
				: []),
		];
	}

	// -- what comes --

	private async load(): Promise<void> {
		const { turn, look } = this,
			{ from, to } = this.range;
		const trackers = await this.ask<TrackerLine>("trackers", { from, to });
		if (turn !== this.turn) return;
		this.trackers = trackers.map((line) => line.tracker);
		if (!this.trackers.includes(look.tracker) && this.trackers[0]) {
			history.replaceState(null, "", writeLook({ ...look, tracker: this.trackers[0] }));
			this.look = readLook(location.hash);
		}
		this.showChoices();
		if (!this.look.tracker) throw new ApiError(0, "no host has sent anything in this range");
		const step = stepOf(to - from),
			start = from - (from % step),
			model = new GridModel(start, step, Math.ceil((to - start) / step));
		model.merge(await this.askGrid(start, model.to, step));
		if (turn !== this.turn) return;
		this.model = model;
		this.show();
	}

	private askGrid(from: number, to: number, step: number): Promise<GridLine[]> {
		return this.ask<GridLine>("grid", {
			tracker: this.look.tracker,
			quantile: this.look.quantile,
			from,
			to,
			step,
		});
	}

	private async update(model: GridModel): Promise<void> {
		const { turn } = this,
			now = Math.floor(Date.now() / 1000),
			again = AGAIN_S + model.step;
		if (this.look.from) return;
		// whole columns, so that the answer replaces them
		const to = Math.ceil((now + 1) / model.step) * model.step,
			since = Math.max(model.from, Math.min(now, this.newest || now) - again), // what came late, too
			from = Math.floor(since / model.step) * model.step,
			lines = await this.askGrid(from, to, model.step);
		if (turn !== this.turn) return;
		model.slide(to);
		model.merge(lines);
		this.show();
	}

	private show(): void {
		const { model } = this;
		if (!model) return;
		this.order(model);
		this.summary.textContent = `${number(model.hosts.size)} hosts`;
		this.grid.selected = this.look.host;
		for (let column = model.columns - 1; column >= 0; column--)
			if (model.cells[column]!.size) {
				this.newest = model.from + column * model.step;
				break;
			}
		this.grid.show(model);
		this.heat.show(model);
	}

	/** Rows keep their places for a while: the medians of hundreds take longer than the picture, and lines that jump cannot be read. */
	private order(model: GridModel): void {
		const first = this.outliers.map((outlier) => outlier.host),
			of = `${model.hosts.size} ${first.join()}`,
			now = performance.now();
		if (model === this.ordered.model && of === this.ordered.of && now < this.ordered.at + ORDER_MS) return;
		this.ordered = { model, of, at: now };
		this.grid.marked = new Set(first);
		this.grid.hosts = model.order(first);
	}

	private async poll(): Promise<void> {
		try {
			if (this.model) await this.update(this.model);
			else await this.load();
			this.state.textContent = this.look.from ? "held" : "live";
			this.state.className = "connection";
		} catch (error) {
			this.state.textContent =
				error instanceof ApiError && !error.status ? error.message : "connection lost: " + errorMessage(error);
			this.state.className = "connection bad";
		}
		await sleep(POLL_MS);
		void this.poll();
	}

	private async pollOutliers(): Promise<void> {
		const { turn } = this;
		try {
			const { from, to } = this.range,
				found = await this.ask<Outlier>("outliers", { from, to });
			if (turn === this.turn) {
				this.outliers = found;
				this.showOutliers();
				this.show();
			}
		} catch {
			// poll() tells
		}
		await sleep(OUTLIERS_MS);
		void this.pollOutliers();
	}

	private showOutliers(): void {
		const items = this.outliers.map((outlier) => {
			const item = makeElement("li");
			item.append(
				makeButton(outlier.sentence, "show this host", () =>
					this.set({ host: outlier.host, tracker: outlier.tracker }),
				),
			);
			return item;
		});
		replaceChildren(this.list, ...(items.length ? items : [makeElement("li", "none for sure")]));
	}

	// -- a host --

	private hover(cell: GridCell | null, x: number, y: number): void {
		const value = cell && this.model?.hosts.get(cell.host)?.[cell.column];
		this.tip.hidden = !cell || !this.model;
		if (!cell || !this.model) return;
		const label = QUANTILES.find(([quantile]) => quantile === this.look.quantile)?.[1] ?? "";
		replaceChildren(
			this.tip,
			makeElement("b", cell.host),
			makeElement("div", clockText(this.model.from + cell.column * this.model.step, true)),
			makeElement(
				"div",
				value === undefined || value === null || value === NOTHING
					? "nothing"
					: `${this.look.tracker} ${label} ${amount(bucketBound(value), "ns")}`,
			),
		);
		placeTip(this.tip, x, y);
	}

	private async showDetails(): Promise<void> {
		const { look, turn } = this,
			range = this.range;
		const isolate = () => this.set({ hosts: look.host }),
			exclude = () => this.set({ except: withName(look.except, look.host), host: "" }),
			close = () => this.set({ host: "" });
		await showDetails(this.details, look, range, {
			ask: (question, params) => this.ask(question, params),
			isCurrent: () => turn === this.turn && this.look.host === look.host,
			actions: [
				makeButton("Isolate", "only this host", isolate),
				makeButton("Exclude", "all but this host", exclude),
				makeButton("Close", "no host", close),
			],
		});
	}

	/** For tests. */
	get shown(): object {
		return {
			look: this.look,
			newest: this.newest,
			hosts: this.grid.hosts,
			outliers: this.outliers,
			drawn: this.grid.drawn,
			heat: this.heat.drawn,
			cells: this.model?.cells.reduce((sum, cell) => sum + cell.size, 0) ?? 0,
		};
	}
}

const page = new FleetPage(document.getElementById("app")!);
Object.assign(window, { dwell: page });
