// SPDX-License-Identifier: Apache-2.0
// Recordings: which there are, and all views of one. A file that is dropped on the page is sent to the server, which
// shows it as any other.
import { api, Contents, SlowRow } from "./api.js";
import { acceptDrops } from "./filedrop.js";
import { Pictures, tabLinks, TabName } from "./pictures.js";
import { slowTable } from "./rangetables.js";
import { RangeView } from "./rangeview.js";
import { makeRecordingHead } from "./recordinghead.js";
import { RecordingHeat } from "./recordingheat.js";
import { RecordingList } from "./recordinglist.js";
import { RecordingReport } from "./recordingreport.js";
import { putSelection, takeSelection } from "./selection.js";
import { StackSection } from "./stacksection.js";
import { Source } from "./stretch.js";
import { amount, number } from "../amount.js";
import { errorMessage, makeElement, replaceChildren } from "../element.js";
import { HeatView } from "../heat.js";

const SLOW_MAX = 50;

export class RecordingView {
	readonly element = makeElement("section", "", "program");
	readonly range = new RangeView();
	readonly pictures = new Pictures();
	/** The address of what is shown has changed. */
	onLink: (link: string) => void = () => {};
	/** There is something to show, wherever the user is. */
	onShow: () => void = () => {};
	onProgram: (text: string) => void = () => {};
	private readonly list = new RecordingList();
	private readonly head = makeElement("div");
	private readonly tabs = makeElement("div", "", "tab-bar");
	private readonly map = new RecordingHeat();
	private readonly stacks = new StackSection("Stacks");
	private readonly slow = makeElement("div");
	private readonly report = new RecordingReport();
	private readonly note = makeElement("p", "", "muted note");
	private readonly body = makeElement("div", "", "recording-body");
	private source: Source | null = null;
	private asked = 0;

	constructor() {
		const main = makeElement("div", "", "main");
		this.note.role = "status";
		this.body.hidden = true;
		this.body.append(
			this.head,
			this.tabs,
			this.pictures.element,
			this.map.element,
			this.range.element,
			this.stacks.element,
			this.slow,
			this.report.element,
		);
		main.append(this.note, this.body);
		this.element.append(this.list.element, main);
		this.connect();
	}

	private connect(): void {
		const changed = () => this.onLink(this.link);
		this.list.onOpen = (id) => {
			this.onLink(`recording/${id}`);
			void this.open(id, new URLSearchParams());
		};
		this.list.onFile = (file) => void this.upload(file);
		acceptDrops((file) => {
			this.onShow();
			if (file) void this.upload(file);
		});
		this.range.onClose = () => {
			this.range.hide();
			this.map.unchoose();
			changed();
		};
		this.range.onChange = this.map.onChange = this.stacks.onChange = changed;
		this.map.onRange = (range) => this.range.choose(this.source!, range);
		this.map.onValues = () => {
			this.range.hide();
			changed();
		};
		this.pictures.onLink = (link) => this.onLink(link);
		this.range.onProgram = (_, clause, program) => this.onProgram(program ?? `${this.programText}\n${clause}`);
	}

	private get programText(): string {
		return this.source?.info.programs.map((program) => program.text).join("\n") ?? "";
	}

	/** The heat map, when there is one. */
	get heat(): HeatView | null {
		return this.map.view;
	}

	/** Shows what an address says. id: "": no recording yet. */
	async start(id: string, query: URLSearchParams, tab: TabName): Promise<void> {
		await this.list.refresh(this.source?.id);
		if (id) await this.open(id, query, tab);
		else this.say(this.list.advice);
	}

	async upload(file: File): Promise<void> {
		const refusal = this.list.refusal(file);
		if (refusal) {
			this.say(refusal);
			return;
		}
		this.asked++;
		this.range.hide();
		this.body.hidden = true;
		this.source = null;
		this.say(`Sending ${file.name} (${amount(file.size, "bytes")}) …`);
		try {
			const id = await api.upload(file);
			this.onLink(`recording/${id}`);
			await this.list.refresh(id);
			await this.open(id, new URLSearchParams());
		} catch (error) {
			this.say(`${file.name}: ${errorMessage(error)}`);
		}
	}

	private say(text: string): void {
		this.note.textContent = text;
		this.note.hidden = !text;
	}

	async open(id: string, query: URLSearchParams, tab: TabName = ""): Promise<void> {
		const asked = ++this.asked;
		this.range.hide();
		if (id !== this.source?.id) {
			this.body.hidden = true;
			this.say("Reading…");
		}
		try {
			const info = await api.view<Contents>(id, "contents.json");
			if (asked !== this.asked) return;
			this.source = { id, info };
		} catch (error) {
			this.source = null;
			this.body.hidden = true;
			this.say(`This recording cannot be shown: ${errorMessage(error)}`);
			return;
		}
		await this.show(this.source, query, tab, asked);
	}

	private async show(source: Source, query: URLSearchParams, tab: TabName, asked: number): Promise<void> {
		this.say("");
		this.body.hidden = false;
		this.body.dataset["tab"] = tab;
		void this.list.refresh(source.id);
		replaceChildren(this.head, ...makeRecordingHead(source, this.list));
		replaceChildren(this.tabs, tabLinks(source.id, tab, `#recording/${source.id}`));
		this.report.reset(source.id);
		this.stacks.choose(source, query.get("flame"));
		await this.pictures.show(source, tab, query);
		if (tab) return;
		await Promise.all([
			this.map.show(source, query),
			this.stacks.show({ source, params: {}, title: "", compared: false }),
			this.readSlow(source),
		]);
		const [range, other] = takeSelection(query, source);
		if (range && asked === this.asked) this.range.show(source, range, other, query.get("stacks") ?? "");
	}

	private async readSlow(source: Source): Promise<void> {
		const { slow } = source.info;
		this.slow.hidden = !slow;
		if (!slow) return;
		const rows = await api.viewLines<SlowRow>(source.id, "slow.json", { longest: SLOW_MAX }).catch(() => []),
			title = `The ${number(rows.length)} longest of ${number(slow)} slow events`;
		replaceChildren(this.slow, makeElement("h3", title), slowTable(source, rows));
	}

	/** The part of the address that says what is shown. */
	get link(): string {
		const { source } = this,
			{ range, other, stacks } = this.range.shown,
			query = new URLSearchParams();
		if (!source) return "recording";
		if (this.pictures.tab) return this.pictures.link;
		this.map.putQuery(query);
		if (this.stacks.name) query.set("flame", this.stacks.name);
		if (range) putSelection(query, source, range, other, stacks);
		return `recording/${source.id}?${query.toString()}`;
	}
}
