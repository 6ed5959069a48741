// SPDX-License-Identifier: Apache-2.0
// Write a program, run it, see what it says.
import { api, Program, watch } from "./api.js";
import { Flames } from "./aggview.js";
import { Drawing, Picture, putDrawings, takeDrawings } from "./drawings.js";
import { fill, make, makeButton, makeNote, makePre, on, said } from "../dom.js";
import { Editor } from "./editor.js";
import { complaints, Output } from "./output.js";
import { number } from "../amount.js";

const REST = 4; // times as long as drawing took
const FIRST = `/* System calls by program, as they happen. */
syscall:::entry
{
	@calls[execname, probefunc] = count();
}
`;

export class ProgramView {
	readonly element = make("section", "", "program");
	readonly editor: Editor;
	private readonly gallery = make("ul", "", "gallery");
	private readonly filter = make("input");
	private readonly runButton = makeButton("Run", "run it (Ctrl-Enter)", () => void this.run());
	private readonly stopButton = makeButton("Stop", "end it, as Ctrl-C does", () => void this.stop());
	private readonly state = make("span", "", "state");
	private readonly text = makePre("", "text");
	private readonly notes = make("div", "", "notes");
	private readonly pictures = new Map<string, Picture>();
	private wanted = new Map<string, Drawing>(); // how results are to be drawn, by their names; else as is best
	private shipped: Program | null = null; // whose text was loaded
	private readonly results = make("div", "", "results");
	private programs: Program[] = [];
	private running = 0;
	private refused: string | null = null;
	private unwatch: () => void = () => {};
	private pending = 0;
	private rest = 0; // ms until it may be drawn again
	output = new Output();

	constructor(private readonly flames: Flames) {
		const side = make("aside", "", "side"), main = make("div", "", "main"), bar = make("div", "", "bar"), left = make("div", "", "write");
		this.filter.type = "search";
		this.filter.placeholder = "Shipped programs";
		this.filter.ariaLabel = "Search the shipped programs";
		on(this.filter, "input", () => this.list());
		side.append(this.filter, this.gallery);
		this.state.role = "status";
		this.stopButton.disabled = true;
		this.runButton.className = "primary";
		bar.append(this.runButton, this.stopButton, this.state);
		left.append(bar);
		this.editor = new Editor(left);
		this.editor.onRun = () => void this.run();
		this.editor.text = FIRST;
		this.text.ariaLabel = "Text output";
		this.results.append(makeNote("Run a program: its tables, distributions and stacks are drawn here while it runs."));
		main.append(left, this.notes, this.results, this.text);
		this.text.hidden = true;
		this.element.append(side, main);
		void api.programs().then((p) => { this.programs = p; this.list(); }).catch(() => {});
	}

	private list(): void {
		const want = this.filter.value.toLowerCase();
		fill(this.gallery, ...this.programs.filter((p) => (p.name + " " + p.summary).toLowerCase().includes(want)).map((p) => {
			const li = make("li"), b = makeButton(p.name, p.summary, () => { location.hash = "program/" + encodeURIComponent(p.name); });
			b.append(make("span", p.summary.replace(/\.$/, ""), "muted"));
			li.append(b);
			return li;
		}));
	}

	private async load(name: string): Promise<void> {
		const p = await api.program(name).catch(() => null);
		if (!p?.text)
			return;
		this.shipped = p;
		this.editor.text = p.text;
	}

	/** From the address: a shipped program or a text, and how its results are drawn. */
	async open(what: string, q: URLSearchParams): Promise<void> {
		const wanted = takeDrawings(q.get("as"));
		if ("#" + location.hash.slice(1) === this.link)
			return;
		if (what.startsWith("text="))
			this.editor.text = decodeURIComponent(what.slice(5));
		else if (what)
			await this.load(decodeURIComponent(what));
		this.wanted = wanted;
		for (const [name, p] of this.pictures)
			p.wanted = wanted.get(name) ?? null;
		this.redraw();
	}

	get link(): string {
		const p = this.shipped, as = putDrawings(this.wanted);
		return "#program/" + (p?.text === this.editor.text ? encodeURIComponent(p.name) : "text=" + encodeURIComponent(this.editor.text)) + (as ? "?as=" + encodeURIComponent(as) : "");
	}

	/** why: programs cannot be run here; null: they can. */
	refuse(why: string | null): void {
		this.refused = why;
		this.runButton.disabled = why !== null || this.running !== 0;
		this.runButton.title = why ?? "run it (Ctrl-Enter)";
	}

	async run(): Promise<void> {
		if (this.refused !== null)
			return;
		await this.stop();
		this.reset();
		try {
			this.running = await api.run(this.editor.text);
		} catch (e) {
			this.note(said(e));
			return;
		}
		this.runButton.disabled = true;
		this.stopButton.disabled = false;
		this.state.textContent = "compiling…";
		history.replaceState(null, "", this.link);
		this.unwatch = watch(this.running, {
			line: (l) => { this.output.take(l); this.redraw(); },
			lost: (n) => { this.output.lost += n; this.redraw(); },
			end: (messages) => this.finished(messages),
			connected: (yes) => { this.state.textContent = yes ? "running" : "connection lost, trying again…"; },
		});
	}

	private reset(): void {
		this.output = new Output();
		this.pictures.clear();
		fill(this.results);
		this.text.textContent = "";
		this.text.hidden = true;
		fill(this.notes);
	}

	async stop(): Promise<void> {
		if (this.running)
			await api.stop(this.running).catch(() => {});
	}

	private finished(messages: string | null): void {
		this.running = 0;
		this.unwatch();
		this.output.ended = true;
		this.output.messages = messages ?? "";
		this.runButton.disabled = false;
		this.stopButton.disabled = true;
		const bad = complaints(messages).join("\n");
		if (messages === null)
			this.note("the server does not know this run any more");
		else if (bad)
			this.note(bad);
		this.draw();
	}

	private note(text: string): void {
		this.notes.append(make("pre", text, "error"));
		this.state.textContent = "";
	}

	/** Soon; the page stays usable, however much there is to draw and however often. */
	private redraw(): void {
		this.pending ||= window.setTimeout(() => requestAnimationFrame(() => {
			const began = performance.now();
			this.pending = 0;
			this.draw();
			this.rest = REST * (performance.now() - began);
		}), this.rest);
	}

	private draw(): void {
		const o = this.output, atEnd = this.text.scrollTop + this.text.clientHeight >= this.text.scrollHeight - 4;
		const shown = new Set<string>();
		for (const r of o.results) {
			const name = r.names.join();
			shown.add(name);
			this.pictureOf(name, r.names.map((n) => "@" + n).join(", ")).draw(r, o);
		}
		for (const [name, p] of this.pictures)
			p.element.hidden = !shown.has(name);
		this.text.hidden = o.text.length === 0;
		this.text.textContent = (o.forgotten ? `… ${number(o.forgotten)} lines before\n` : "") + o.text.join("\n");
		if (atEnd)
			this.text.scrollTop = this.text.scrollHeight;
		const losses = [...o.losses.values()].map((l) => `${number(l.count)} ${l.tag.toLowerCase()}`);
		if (o.lost)
			losses.push(`${number(o.lost)} lines not shown`);
		const ended = o.status !== undefined ? `ended with status ${o.status}` : o.ended ? "ended" : "running";
		this.state.textContent = [ended, `${number(o.events)} events`, ...losses].join(" · ");
		this.state.classList.toggle("lossy", losses.length > 0);
	}

	private pictureOf(name: string, title: string): Picture {
		let p = this.pictures.get(name);
		if (!p) {
			const made = p = new Picture(title, this.flames);
			p.wanted = this.wanted.get(name) ?? null;
			p.onChoice = () => {
				this.wanted.set(name, made.wanted!);
				history.replaceState(null, "", this.link);
			};
			this.pictures.set(name, p);
			this.results.append(p.element);
		}
		return p;
	}
}
