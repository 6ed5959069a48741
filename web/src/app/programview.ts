// SPDX-License-Identifier: Apache-2.0
// Write a program, run it, see what it says.
import { api, Program, watch } from "./api.js";
import { Flames } from "./aggview.js";
import { Drawing, Picture, putDrawings, takeDrawings } from "./drawings.js";
import { replaceChildren, makeElement, makeButton, makeNote, makePre, errorMessage } from "../element.js";
import { makeSearch } from "../controls.js";
import { Editor } from "./editor.js";
import { showLosses } from "./lossline.js";
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
	readonly element = makeElement("section", "", "program");
	readonly editor: Editor;
	private readonly gallery = makeElement("ul", "", "gallery");
	private readonly filter = makeSearch("Shipped programs", "Search the shipped programs", () => this.list());
	private readonly runButton = makeButton("Run", "run it (Ctrl-Enter)", () => void this.run());
	private readonly stopButton = makeButton("Stop", "end it, as Ctrl-C does", () => void this.stop());
	private readonly state = makeElement("span", "", "state");
	private readonly losses = makeElement("span", "", "losses");
	private readonly text = makePre("", "text");
	private readonly notes = makeElement("div", "", "notes");
	private readonly pictures = new Map<string, Picture>();
	private wanted = new Map<string, Drawing>(); // how results are to be drawn, by their names; else as is best
	private shipped: Program | null = null; // whose text was loaded
	private readonly results = makeElement("div", "", "results");
	private programs: Program[] = [];
	private running = 0;
	private refused: string | null = null;
	private unwatch: () => void = () => {};
	private pending = 0;
	private rest = 0; // ms until it may be drawn again
	output = new Output();

	constructor(private readonly flames: Flames) {
		const side = makeElement("aside", "", "side"),
			main = makeElement("div", "", "main"),
			bar = makeElement("div", "", "bar"),
			left = makeElement("div", "", "write");
		side.append(this.filter, this.gallery);
		this.state.role = "status";
		this.stopButton.disabled = true;
		this.runButton.className = "primary";
		bar.append(this.runButton, this.stopButton, this.state, this.losses);
		left.append(bar);
		this.editor = new Editor(left);
		this.editor.onRun = () => void this.run();
		this.editor.text = FIRST;
		this.text.ariaLabel = "Text output";
		this.results.append(
			makeNote("Run a program: its tables, distributions and stacks are drawn here while it runs."),
		);
		main.append(left, this.notes, this.results, this.text);
		this.text.hidden = true;
		this.element.append(side, main);
		void api
			.programs()
			.then((programs) => {
				this.programs = programs;
				this.list();
			})
			.catch(() => {});
	}

	private list(): void {
		const want = this.filter.value.toLowerCase();
		replaceChildren(
			this.gallery,
			...this.programs
				.filter((program) => (program.name + " " + program.summary).toLowerCase().includes(want))
				.map((program) => {
					const item = makeElement("li"),
						button = makeButton(program.name, program.summary, () => {
							location.hash = "program/" + encodeURIComponent(program.name);
						});
					button.append(makeElement("span", program.summary.replace(/\.$/, ""), "muted"));
					item.append(button);
					return item;
				}),
		);
	}

	private async load(name: string): Promise<void> {
		const program = await api.program(name).catch(() => null);
		if (!program?.text) return;
		this.shipped = program;
		this.editor.text = program.text;
	}

	/** From the address: a shipped program or a text, and how its results are drawn. */
	async open(what: string, query: URLSearchParams): Promise<void> {
		const wanted = takeDrawings(query.get("as"));
		if ("#" + location.hash.slice(1) === this.link) return;
		if (what.startsWith("text=")) this.editor.text = decodeURIComponent(what.slice(5));
		else if (what) await this.load(decodeURIComponent(what));
		this.wanted = wanted;
		for (const [name, picture] of this.pictures) picture.wanted = wanted.get(name) ?? null;
		this.redraw();
	}

	get link(): string {
		const program = this.shipped,
			as = putDrawings(this.wanted);
		return (
			"#program/" +
			(program?.text === this.editor.text
				? encodeURIComponent(program.name)
				: "text=" + encodeURIComponent(this.editor.text)) +
			(as ? "?as=" + encodeURIComponent(as) : "")
		);
	}

	/** why: programs cannot be run here; null: they can. */
	refuse(why: string | null): void {
		this.refused = why;
		this.runButton.disabled = why !== null || this.running !== 0;
		this.runButton.title = why ?? "run it (Ctrl-Enter)";
	}

	async run(): Promise<void> {
		if (this.refused !== null) return;
		await this.stop();
		this.reset();
		try {
			this.running = await api.run(this.editor.text);
		} catch (error) {
			this.note(errorMessage(error));
			return;
		}
		this.runButton.disabled = true;
		this.stopButton.disabled = false;
		this.state.textContent = "compiling…";
		history.replaceState(null, "", this.link);
		this.unwatch = watch(this.running, {
			line: (line) => {
				this.output.take(line);
				this.redraw();
			},
			lost: (count) => {
				this.output.losses.add("", { kind: "lost", count: count, what: "lines not shown" });
				this.redraw();
			},
			end: (messages) => this.finished(messages),
			connected: (yes) => {
				this.state.textContent = yes ? "running" : "connection lost, trying again…";
			},
		});
	}

	private reset(): void {
		this.output = new Output();
		this.pictures.clear();
		replaceChildren(this.results);
		this.text.textContent = "";
		this.text.hidden = true;
		replaceChildren(this.notes);
		replaceChildren(this.losses);
	}

	async stop(): Promise<void> {
		if (this.running) await api.stop(this.running).catch(() => {});
	}

	private finished(messages: string | null): void {
		this.running = 0;
		this.unwatch();
		this.output.ended = true;
		this.output.messages = messages ?? "";
		this.runButton.disabled = false;
		this.stopButton.disabled = true;
		const bad = complaints(messages).join("\n");
		if (messages === null) this.note("the server does not know this run any more");
		else if (bad) this.note(bad);
		this.draw();
	}

	private note(text: string): void {
		this.notes.append(makeElement("pre", text, "error"));
		this.state.textContent = "";
	}

	/** Soon; the page stays usable, however much there is to draw and however often. */
	private redraw(): void {
		this.pending ||= window.setTimeout(
			() =>
				requestAnimationFrame(() => {
					const began = performance.now();
					this.pending = 0;
					this.draw();
					this.rest = REST * (performance.now() - began);
				}),
			this.rest,
		);
	}

	private draw(): void {
		const output = this.output,
			atEnd = this.text.scrollTop + this.text.clientHeight >= this.text.scrollHeight - 4;
		const shown = new Set<string>();
		for (const result of output.results) {
			const name = result.names.join();
			shown.add(name);
			this.pictureOf(name, result.names.map((one) => "@" + one).join(", ")).draw(result, output);
		}
		for (const [name, picture] of this.pictures) picture.element.hidden = !shown.has(name);
		this.text.hidden = output.text.length === 0;
		this.text.textContent =
			(output.forgotten ? `… ${number(output.forgotten)} lines before\n` : "") + output.text.join("\n");
		if (atEnd) this.text.scrollTop = this.text.scrollHeight;
		const ended =
			output.status !== undefined ? `ended with status ${output.status}` : output.ended ? "ended" : "running";
		this.state.textContent = `${ended} · ${number(output.events)} events`;
		showLosses(this.losses, output.losses.texts);
	}

	private pictureOf(name: string, title: string): Picture {
		let picture = this.pictures.get(name);
		if (!picture) {
			const made = (picture = new Picture(title, this.flames));
			picture.wanted = this.wanted.get(name) ?? null;
			picture.onChoice = () => {
				this.wanted.set(name, made.wanted!);
				history.replaceState(null, "", this.link);
			};
			this.pictures.set(name, picture);
			this.results.append(picture.element);
		}
		return picture;
	}
}
