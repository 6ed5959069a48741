// SPDX-License-Identifier: Apache-2.0
// The page of `dwell serve`: views by the part of the address behind "#".
import { api, ApiError, Status } from "./app/api.js";
import { fill, grow, make, makeButton, makeHelp, makeLink, on } from "./dom.js";
import { Overview } from "./app/overview.js";
import { ProgramView } from "./app/programview.js";
import { flameOf } from "./app/flames.js";
import { tabName } from "./app/pictures.js";
import { RecordingView } from "./app/recordingview.js";
import { selecting } from "./app/selecting.js";
import { compareShares } from "./app/shares.js";
import { toggleTheme } from "./theme.js";
import { TIMELINE_KEYS } from "./timelinepanel.js";

const STATUS_MS = 5000;

class App {
	/** For tests. */
	readonly compareShares = compareShares;
	readonly selecting = selecting;
	private readonly state = make("span", "", "connection");
	private readonly machine = make("span", "", "muted");
	private readonly banner = make("p", "", "banner");
	private readonly help = makeHelp("Keys", "", [["Tab", "to the next heat map, flame graph or control"], ["← → ↑ ↓", "in a heat map: move the range, with Shift enlarge it; in a flame graph: from frame to frame"],
		["Enter", "look at the range, or zoom to the frame"], ["Esc", "close, end a selection, or show all frames"], ["Ctrl Enter", "run the program"], ["Ctrl Space", "complete what is being written"],
		...TIMELINE_KEYS.map(([k, what]) => [k, `in a timeline: ${what}`] as const), ["s", "in distributions: shares, or what is not larger"], ["d", "dark or light"], ["?", "this help"]]);
	private readonly program = new ProgramView(flameOf);
	private readonly overview = new Overview();
	private readonly recording = new RecordingView();
	private view = "";
	private readonly links = new Map<string, HTMLAnchorElement>();

	constructor(root: HTMLElement) {
		const head = make("header", "", "head"), nav = make("nav");
		nav.ariaLabel = "Views";
		for (const [view, text] of [["overview", "Overview"], ["recording", "Recordings"], ["program", "Program"]] as const) {
			const link = makeLink(text, "#" + view);
			this.links.set(view, link);
			nav.append(link);
		}
		const program = (text: string) => { location.hash = "program/text=" + encodeURIComponent(text); };
		this.overview.onProgram = this.recording.onProgram = program;
		this.recording.onShow = () => {
			if (this.view !== "recording")
				history.pushState(null, "", "#recording");
			this.display("recording");
		};
		this.overview.onLink = this.recording.onLink = (link) => history.replaceState(null, "", "#" + link);
		this.state.role = "status";
		this.banner.hidden = true;
		head.append(make("h1", "dwell"), nav, this.machine, grow(), this.state,
			makeButton("◐", "dark or light (d)", toggleTheme), makeButton("?", "help (?)", () => this.help.showModal()));
		const main = make("main");
		main.append(this.banner, this.overview.element, this.recording.element, this.program.element);
		fill(root, head, main, this.help);
		on(window, "hashchange", () => void this.open());
		on(document, "keydown", (e) => this.key(e));
		void this.open();
		void this.poll();
	}

	private display(view: string): void {
		this.view = view;
		this.links.forEach((a, name) => { a.ariaCurrent = name === view ? "page" : null; });
		this.program.element.hidden = view !== "program";
		this.overview.element.hidden = view !== "overview";
		this.recording.element.hidden = view !== "recording";
	}

	private async open(): Promise<void> {
		const hash = location.hash.slice(1), [place, query] = hash.split("?", 2) as [string, string?];
		const [asked, ...rest] = place.split("/"), view = asked === "program" || asked === "recording" ? asked : "overview", q = new URLSearchParams(query ?? "");
		this.display(view);
		if (view === "overview") {
			this.overview.want(q);
			await this.overview.start();
		} else if (view === "recording") {
			await this.recording.start(rest[0] ?? "", q, tabName(rest[1]));
		} else if (rest.length) {
			await this.program.open(rest.join("/"), q);
		}
	}

	private async poll(): Promise<void> {
		try {
			this.show(await api.status());
		} catch (e) {
			const lost = !(e instanceof ApiError) || e.status === 0;
			this.state.textContent = lost ? "connection lost" : e.message;
			this.state.className = "connection bad";
		}
		setTimeout(() => void this.poll(), STATUS_MS);
	}

	private show(s: Status): void {
		this.machine.textContent = `${s.host} · Linux ${s.kernel}`;
		this.state.textContent = "connected";
		this.state.className = "connection";
		this.state.title = `dwell ${s.release}, ${s.viewers} watching, server ${Math.round(s.memory_kib / 1024)} MiB`;
		this.banner.hidden = s.privileged;
		this.banner.textContent = s.why_not ?? "";
		this.program.refuse(s.privileged ? null : s.why_not ?? "");
	}

	private key(e: KeyboardEvent): void {
		const typing = e.target instanceof HTMLInputElement || e.target instanceof HTMLTextAreaElement;
		if (typing || e.ctrlKey || e.metaKey || e.altKey)
			return;
		if (e.key === "?")
			this.help.showModal();
		else if (e.key === "d")
			toggleTheme();
	}
}

const app = new App(document.getElementById("app")!);
(window as unknown as { dwell: App }).dwell = app;
