// SPDX-License-Identifier: Apache-2.0
// Write a program, run it, see what it says.
import { api, ApiError, Program, watch } from "./api.js";
import { draw, Flames } from "./aggview.js";
import { make, makeButton } from "../dom.js";
import { Editor } from "./editor.js";
import { Output } from "./output.js";
import { number } from "../amount.js";
import { perFrame } from "../canvas.js";

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
	private readonly text = make("pre", "", "text");
	private readonly notes = make("div", "", "notes");
	private readonly pictures = new Map<string, HTMLElement>();
	private readonly results = make("div", "", "results");
	private programs: Program[] = [];
	private running = 0;
	private unwatch: () => void = () => {};
	private readonly redraw = perFrame(() => this.draw());
	output = new Output();

	constructor(private readonly flames: Flames) {
		const side = make("aside", "", "side"), main = make("div", "", "main"), bar = make("div", "", "bar"), left = make("div", "", "write");
		this.filter.type = "search";
		this.filter.placeholder = "Shipped programs";
		this.filter.setAttribute("aria-label", "Search the shipped programs");
		this.filter.addEventListener("input", () => this.list());
		side.append(this.filter, this.gallery);
		this.state.setAttribute("role", "status");
		this.stopButton.disabled = true;
		this.runButton.className = "primary";
		bar.append(this.runButton, this.stopButton, this.state);
		left.append(bar);
		this.editor = new Editor(left);
		this.editor.onRun = () => void this.run();
		this.editor.text = FIRST;
		this.text.tabIndex = 0;
		this.text.setAttribute("aria-label", "Text output");
		this.results.append(make("p", "Run a program: its tables, distributions and stacks are drawn here while it runs.", "muted"));
		main.append(left, this.notes, this.results, this.text);
		this.text.hidden = true;
		this.element.append(side, main);
		void api.programs().then((p) => { this.programs = p; this.list(); }).catch(() => {});
	}

	private list(): void {
		const want = this.filter.value.toLowerCase();
		this.gallery.replaceChildren(...this.programs.filter((p) => (p.name + " " + p.summary).toLowerCase().includes(want)).map((p) => {
			const li = make("li"), b = makeButton(p.name, p.summary, () => void this.load(p.name));
			b.append(make("span", p.summary.replace(/\.$/, ""), "muted"));
			li.append(b);
			return li;
		}));
	}

	private async load(name: string): Promise<void> {
		const p = await api.program(name).catch(() => null);
		if (!p?.text)
			return;
		this.editor.text = p.text;
		location.hash = "program/" + encodeURIComponent(name);
	}

	/** From the address: a shipped program or a text. */
	async open(what: string): Promise<void> {
		if (what.startsWith("text="))
			this.editor.text = decodeURIComponent(what.slice(5));
		else if (what)
			await this.load(decodeURIComponent(what));
	}

	get link(): string {
		return "#program/text=" + encodeURIComponent(this.editor.text);
	}

	async run(): Promise<void> {
		await this.stop();
		this.reset();
		try {
			this.running = await api.run(this.editor.text);
		} catch (e) {
			this.note(e instanceof ApiError ? e.message : String(e), "error");
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
		this.results.replaceChildren();
		this.text.textContent = "";
		this.text.hidden = true;
		this.notes.replaceChildren();
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
		const bad = (messages ?? "").split("\n").filter((l) => l && !/ matched \d+ probes?$/.test(l)).join("\n");
		if (messages === null)
			this.note("the server does not know this run any more", "error");
		else if (bad)
			this.note(bad, "error");
		this.redraw();
	}

	private note(text: string, kind: string): void {
		this.notes.append(make("pre", text, kind));
		this.state.textContent = "";
	}

	private draw(): void {
		const o = this.output, atEnd = this.text.scrollTop + this.text.clientHeight >= this.text.scrollHeight - 4;
		for (const a of o.aggs.values()) {
			let host = this.pictures.get(a.name);
			if (!host) {
				const box = make("section", "", "picture");
				host = make("div");
				host.tabIndex = 0; // it scrolls
				host.setAttribute("role", "group");
				host.setAttribute("aria-label", "@" + a.name);
				box.append(make("h2", "@" + a.name), host);
				this.pictures.set(a.name, host);
				this.results.append(box);
			}
			draw(host, a, this.flames);
		}
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
}
