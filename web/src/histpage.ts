// SPDX-License-Identifier: Apache-2.0
// The page of distributions: `dwell hist -o FILE.html`. Everything it shows is in the file.
import { amount, number, percent } from "./amount.js";
import { prepare } from "./canvas.js";
import { make, makeButton, placeTip } from "./dom.js";
import { cssColour, isDark, onTheme } from "./theme.js";

/** See src/view/hist_html.c. */
interface Series {
	name: string;
	colour: string;
	count: number;
	quantiles: { value: number | null, error: number | null, ratio: number | null }[];
	share: number[];
	most: number;
	at: number;
	chance: boolean;
}

interface HistHead {
	title: string;
	unit: string;
	linear: boolean;
	leftOut: number;
	names: string[];
	edges: number[];
	series: Series[];
}

const LEFT = 64, RIGHT = 10, TOP = 22, BOTTOM = 24;
type Shows = "share" | "sum";

class Page {
	private readonly plot = make("div", "", "plot");
	private readonly canvas = make("canvas");
	private readonly ctx = this.canvas.getContext("2d")!;
	private readonly tip = make("div", "", "tip");
	private readonly table = make("div", "", "wide");
	private readonly buttons: { b: HTMLButtonElement, what: Shows }[] = [];
	private readonly off = new Set<number>();
	private shows: Shows = "share";
	private row = -1;

	constructor(private readonly head: HistHead, app: HTMLElement) {
		const top = make("header", "", "head"), bar = make("div", "", "bar"), group = make("span", "", "group"), main = make("div", "", "main"), box = make("div", "", "view");
		top.append(make("h1", head.title), make("span", `${number(head.series.reduce((n, s) => n + s.count, 0))} values` +
			(head.leftOut ? ` · ${number(head.leftOut)} more keys are left out` : ""), "muted"));
		for (const [what, text, title] of [["share", "shares", "how many values are in each row (s)"], ["sum", "not larger", "how many values are not larger (s)"]] as [Shows, string, string][]) {
			const b = makeButton(text, title, () => this.show(what));
			this.buttons.push({ b, what });
			group.append(b);
		}
		bar.append(group, make("span", "", "grow"), makeButton("◐", "dark or light (d)", () => this.toggleTheme()));
		this.plot.append(this.canvas);
		box.append(this.plot);
		main.append(box);
		this.tip.hidden = true;
		app.replaceChildren(top, bar, main, this.table, this.tip);
		this.canvas.setAttribute("role", "img");
		this.canvas.setAttribute("aria-label", head.title + ". The table has percentiles as text.");
		this.canvas.addEventListener("mousemove", (e) => this.hover(e));
		this.canvas.addEventListener("mouseleave", () => this.choose(-1));
		document.addEventListener("keydown", (e) => this.key(e));
		new ResizeObserver(() => this.draw()).observe(this.plot);
		onTheme(() => this.draw());
		this.show("share");
	}

	private get width(): number { return Math.max(1, this.plot.clientWidth - LEFT - RIGHT); }
	private get height(): number { return Math.max(1, this.plot.clientHeight - TOP - BOTTOM); }
	private get rows(): number { return this.head.edges.length - 1; }
	private x(row: number): number { return LEFT + (this.width * row) / this.rows; }

	private show(what: Shows): void {
		this.shows = what;
		for (const one of this.buttons)
			one.b.setAttribute("aria-pressed", String(one.what === what));
		this.makeTable();
		this.draw();
	}

	private toggle(i: number): void {
		if (!this.off.delete(i))
			this.off.add(i);
		this.makeTable();
		this.draw();
	}

	/** Heights of the rows of a series: shares, or their sums. */
	private values(s: Series): number[] {
		let sum = 0;
		return this.shows === "share" ? s.share : s.share.map((v) => Math.min(1, (sum += v)));
	}

	private draw(): void {
		const c = this.ctx, on = this.head.series.filter((_, i) => !this.off.has(i)), all = on.map((s) => this.values(s));
		if (!prepare(this.canvas, c, this.plot.clientWidth, this.plot.clientHeight))
			return;
		const most = this.shows === "sum" ? 1 : Math.max(1e-9, ...all.flat());
		this.drawAxes(most);
		on.forEach((s, k) => {
			const bottom = TOP + this.height, y = (v: number) => TOP + this.height * (1 - v / most);
			c.beginPath();
			c.moveTo(this.x(0), bottom);
			all[k]!.forEach((v, r) => {
				if (this.shows === "share")
					c.lineTo(this.x(r), y(v));
				c.lineTo(this.x(r + 1), y(v));
			});
			c.strokeStyle = c.fillStyle = s.colour;
			c.lineWidth = 1.7;
			c.stroke();
			if (this.shows === "share") {
				c.lineTo(this.x(this.rows), bottom);
				c.globalAlpha = 0.15;
				c.fill();
				c.globalAlpha = 1;
			}
		});
		if (this.row >= 0) {
			c.fillStyle = cssColour("--text");
			c.globalAlpha = 0.1;
			c.fillRect(this.x(this.row), TOP, this.x(this.row + 1) - this.x(this.row), this.height);
			c.globalAlpha = 1;
		}
	}

	private drawAxes(most: number): void {
		const c = this.ctx, { edges, unit, linear } = this.head, line = cssColour("--line"), muted = cssColour("--muted");
		c.font = cssColour("--font") || "12px sans-serif";
		c.textBaseline = "middle";
		c.textAlign = "right";
		for (let i = 0; i <= 4; i++) {
			const y = TOP + this.height * (1 - i / 4);
			c.fillStyle = line;
			c.fillRect(LEFT, Math.round(y), this.width, 1);
			c.fillStyle = muted;
			c.fillText(((100 * most * i) / 4).toFixed(most < 0.04 ? 2 : most < 0.4 ? 1 : 0) + " %", LEFT - 8, y);
		}
		c.textAlign = "left";
		c.fillText(this.shows === "share" ? "share of the values" : "values that are not larger", LEFT, TOP / 2);
		c.textAlign = "center";
		let last = -100;
		edges.forEach((v, r) => {
			const here = linear || this.rows <= 24 || Number.isInteger(Math.log2(v)), x = this.x(r);
			if (!here || x - last < 70 || x > LEFT + this.width - 16)
				return;
			last = x;
			c.fillStyle = line;
			c.fillRect(Math.round(x), TOP, 1, this.height + 4);
			c.fillStyle = muted;
			c.fillText(amount(v, unit), x, TOP + this.height + 14);
		});
	}

	private makeTable(): void {
		const h = this.head, table = make("table"), thead = make("thead"), tr = make("tr"), body = make("tbody"), several = h.series.length > 1;
		tr.append(make("th", "Distribution"), make("th", "values", "n"), ...h.names.map((n) => make("th", n, "n")), ...(several ? [make("th", "differs most from the first")] : []));
		h.series.forEach((s, i) => {
			const row = make("tr"), name = make("td"), b = makeButton("", "show or hide", () => this.toggle(i)), dot = make("i");
			dot.style.background = s.colour;
			b.append(dot, s.name);
			b.setAttribute("aria-pressed", String(!this.off.has(i)));
			name.append(b);
			row.append(name, make("td", number(s.count), "n"));
			for (const q of s.quantiles) {
				const td = make("td", q.value === null ? "" : (q.error === null ? "> " : "") + amount(q.value, h.unit), "n");
				const note = (q.error ? ` ± ${(100 * q.error).toFixed(1)} %` : "") + (i && q.ratio ? ` × ${q.ratio.toFixed(2)}` : "");
				td.append(make("small", note));
				row.append(td);
			}
			if (several)
				row.append(make("td", i ? `${percent(Math.abs(s.most))} ${s.most < 0 ? "fewer" : "more"} below ${amount(s.at, h.unit)}${s.chance ? ", as chance gives" : ""}` : ""));
			body.append(row);
		});
		thead.append(tr);
		table.append(thead, body);
		this.table.replaceChildren(table);
	}

	private choose(row: number): void {
		this.tip.hidden = row < 0;
		if (row === this.row)
			return;
		this.row = row;
		this.draw();
	}

	private hover(e: MouseEvent): void {
		const h = this.head, x = e.clientX - this.canvas.getBoundingClientRect().x, r = Math.floor(((x - LEFT) / this.width) * this.rows);
		this.choose(r >= 0 && r < this.rows ? r : -1);
		if (this.row < 0)
			return;
		this.tip.replaceChildren(make("b", `${amount(h.edges[r]!, h.unit)} to ${amount(h.edges[r + 1]!, h.unit)}`));
		h.series.forEach((s, i) => {
			if (!this.off.has(i))
				this.tip.append(make("div", `${s.name}: ${percent(s.share[r]!)} (${number(s.share[r]! * s.count)}), ${
					percent(Math.min(1, s.share.slice(0, r + 1).reduce((a, b) => a + b, 0)))} are not larger`));
		});
		placeTip(this.tip, e.clientX, e.clientY);
	}

	private toggleTheme(): void {
		document.documentElement.dataset["theme"] = isDark() ? "light" : "dark";
	}

	private key(e: KeyboardEvent): void {
		if (e.ctrlKey || e.altKey || e.metaKey)
			return;
		if (e.key === "s")
			this.show(this.shows === "share" ? "sum" : "share");
		else if (e.key === "d")
			this.toggleTheme();
		else if (e.key === "ArrowRight" || e.key === "ArrowLeft")
			this.choose(Math.max(0, Math.min(this.rows - 1, this.row + (e.key === "ArrowRight" ? 1 : -1))));
		else
			return;
		e.preventDefault();
	}

	/** For tests. */
	state(): object {
		return { shows: this.shows, off: [...this.off], row: this.row, rows: this.rows, series: this.head.series, edges: this.head.edges, x: this.x(this.row + 0.5) };
	}
}

const app = document.getElementById("app")!;
try {
	const page = new Page(JSON.parse(document.getElementById("meta")!.textContent!) as HistHead, app);
	Object.assign(window, { dwell: { page, state: () => page.state() } });
} catch (e) {
	app.textContent = "This page cannot be shown: " + (e instanceof Error ? e.message : String(e));
}
