// SPDX-License-Identifier: Apache-2.0
// The page of `dwell fleet serve`: outliers, the fleet's heat map, hosts by time, and the details of one host. Asks the
// server and draws; fleet/fleetstate.ts holds the state.
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
import { GridLine, GridModel, Look, Outlier, QUANTILES, RANGES, withName } from "./fleet/fleetdata.js";
import { FleetState, Span } from "./fleet/fleetstate.js";
import { showDetails } from "./fleet/hostdetails.js";
import { FleetHeat, GridCell, HostGrid } from "./fleet/hostgrid.js";
import { sleep } from "./math.js";
import { toggleTheme } from "./theme.js";

const POLL_MS = 400,
	OUTLIERS_MS = 5000;

interface TrackerLine {
	tracker: string;
	hosts: number;
	count: number;
}

const seconds = () => Math.floor(Date.now() / 1000);

class FleetPage {
	private readonly fleet = new FleetState(location.hash);
	private readonly connection = makeElement("span", "", "connection");
	private readonly summary = makeElement("span", "", "muted");
	private readonly choose = makeElement("div", "", "choose");
	private readonly list = makeElement("ul", "", "outliers");
	private readonly details = makeElement("section", "", "details");
	private readonly tip = makeElement("div", "", "tip");
	private readonly heat: FleetHeat;
	private readonly grid: HostGrid;
	private groups: Group[] = [];

	constructor(root: HTMLElement) {
		const head = makeElement("header", "", "head"),
			main = makeElement("main"),
			columns = makeElement("div", "", "fleet"),
			pictures = makeElement("section", "", "pictures"),
			heatBox = makeElement("div"),
			gridBox = makeElement("div", "", "grid"),
			side = makeElement("section");
		this.connection.role = "status";
		this.tip.hidden = true;
		head.append(
			makeElement("h1", "dwell fleet"),
			this.summary,
			makeSpacer(),
			this.connection,
			makeButton("◐", "dark or light", toggleTheme),
		);
		pictures.append(
			makeElement("h2", "All hosts: latency by time"),
			heatBox,
			makeElement("h2", "Each host by time"),
			gridBox,
		);
		side.append(makeElement("h2", "Slower than their peers"), this.list);
		columns.append(this.choose, pictures, side, this.details);
		main.append(columns, this.tip);
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

	/** Changes the look by its address. */
	private set(change: Partial<Look>): void {
		const hash = this.fleet.address(change);
		if (hash !== location.hash) location.hash = hash;
	}

	private open(): void {
		this.fleet.open(location.hash);
		this.grid.selected = this.fleet.look.host;
		this.grid.redraw();
		this.showChoices();
		void this.showDetails();
	}

	private get range(): Span {
		return this.fleet.range(seconds());
	}

	private ask<T>(question: string, params: Record<string, string | number>): Promise<T[]> {
		const { hosts, except } = this.fleet.look;
		return api.fleet<T>(question, { hosts, except, ...params });
	}

	// -- what is chosen --

	private showChoices(): void {
		const { look } = this.fleet;
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
		const live = makeButton(look.from ? "Live" : "Hold", look.from ? "go on" : "keep what is shown", () =>
			this.set(this.fleet.toggledHold(seconds())),
		);
		replaceChildren(
			this.choose,
			makeSelect(
				"Tracker",
				this.fleet.choices.map((name) => [name, name] as const),
				look.tracker,
				(tracker) => this.set({ tracker }),
			),
			...this.groups.map((group) => group.element),
			live,
			...this.makeSelectors(),
		);
	}

	private makeSelectors(): HTMLElement[] {
		const { look } = this.fleet;
		const make = (key: "hosts" | "except", label: string, hint: string) => {
			const input = makeElement("input");
			input.value = look[key];
			input.placeholder = hint;
			input.ariaLabel = label;
			listen(input, "change", () => this.set({ [key]: input.value.trim() }));
			return input;
		};
		return [
			make("hosts", "Only these hosts", "only: web*, role=db"),
			make("except", "Not these hosts", "not: web-17"),
			...(look.hosts || look.except
				? [makeButton("All hosts", "take the selection away", () => this.set({ hosts: "", except: "" }))]
				: []),
		];
	}

	// -- what comes --

	private async load(): Promise<void> {
		const { fleet, range } = this,
			{ turn } = fleet,
			before = fleet.look.tracker;
		const trackers = await this.ask<TrackerLine>("trackers", { ...range });
		if (turn !== fleet.turn) return;
		fleet.takeTrackers(trackers.map((line) => line.tracker));
		if (fleet.look.tracker !== before) history.replaceState(null, "", fleet.address({}));
		this.showChoices();
		if (!fleet.look.tracker) throw new ApiError(0, "no host has sent anything in this range");
		const model = fleet.makeWindow(range);
		await this.fill(model, { from: model.from, to: model.to });
	}

	private async update(model: GridModel): Promise<void> {
		const span = this.fleet.nextSpan(model, seconds());
		if (span) await this.fill(model, span);
	}

	/** Asks for a span of the window, and shows it. */
	private async fill(model: GridModel, span: Span): Promise<void> {
		const { fleet } = this,
			{ turn, look } = fleet,
			lines = await this.ask<GridLine>("grid", {
				tracker: look.tracker,
				quantile: look.quantile,
				...span,
				step: model.step,
			});
		if (turn !== fleet.turn) return;
		fleet.take(model, lines, span.to);
		this.show();
	}

	private show(): void {
		const { fleet } = this,
			{ model } = fleet;
		if (!model) return;
		if (fleet.order(performance.now())) {
			this.grid.marked = new Set(fleet.outliers.map((outlier) => outlier.host));
			this.grid.hosts = fleet.hosts;
		}
		this.summary.textContent = fleet.summary;
		this.grid.selected = fleet.look.host;
		this.grid.show(model);
		this.heat.show(model);
	}

	private async poll(): Promise<void> {
		try {
			if (this.fleet.model) await this.update(this.fleet.model);
			else await this.load();
			this.connection.textContent = this.fleet.mode;
			this.connection.className = "connection";
		} catch (error) {
			this.connection.textContent =
				error instanceof ApiError && !error.status ? error.message : "connection lost: " + errorMessage(error);
			this.connection.className = "connection bad";
		}
		await sleep(POLL_MS);
		void this.poll();
	}

	private async pollOutliers(): Promise<void> {
		const { fleet } = this,
			{ turn } = fleet;
		try {
			const found = await this.ask<Outlier>("outliers", { ...this.range });
			if (turn === fleet.turn) {
				fleet.outliers = found;
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
		const items = this.fleet.outliers.map((outlier) => {
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
		const text = cell && this.fleet.cellText(cell.host, cell.column);
		this.tip.hidden = !text;
		if (!text) return;
		replaceChildren(
			this.tip,
			makeElement("b", text.title),
			makeElement("div", text.time),
			makeElement("div", text.value),
		);
		placeTip(this.tip, x, y);
	}

	private async showDetails(): Promise<void> {
		const { fleet, range } = this,
			{ look, turn } = fleet;
		const isolate = () => this.set({ hosts: look.host }),
			exclude = () => this.set({ except: withName(look.except, look.host), host: "" }),
			close = () => this.set({ host: "" });
		await showDetails(this.details, look, range, {
			ask: (question, params) => this.ask(question, params),
			isCurrent: () => turn === fleet.turn && fleet.look.host === look.host,
			actions: [
				makeButton("Isolate", "only this host", isolate),
				makeButton("Exclude", "all but this host", exclude),
				makeButton("Close", "no host", close),
			],
		});
	}

	/** For tests. */
	get shown(): object {
		const { look, newest, hosts, outliers, model } = this.fleet;
		return {
			look,
			newest,
			hosts,
			outliers,
			drawn: this.grid.drawn,
			heat: this.heat.drawn,
			cells: model?.cells.reduce((sum, cell) => sum + cell.size, 0) ?? 0,
		};
	}
}

const page = new FleetPage(document.getElementById("app")!);
Object.assign(window, { dwell: page });
