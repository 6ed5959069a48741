// SPDX-License-Identifier: Apache-2.0
// The page of `dwell serve`: views by the part of the address after "#".
import { makeThemeButton } from "./controls.js";
import { api, ApiError, Status } from "./app/api.js";
import { replaceChildren, makeSpacer, makeElement, makeButton, makeHelp, makeLink, listen } from "./element.js";
import { Overview } from "./app/overview.js";
import { ProgramView } from "./app/programview.js";
import { flameOf } from "./app/flames.js";
import { tabName } from "./app/pictures.js";
import { RecordingView } from "./app/recordingview.js";
import { toggleTheme } from "./theme.js";
import { TIMELINE_KEYS } from "./timelinepanel.js";

const STATUS_MS = 5000;

class App {
	private readonly state = makeElement("span", "", "connection");
	private readonly machine = makeElement("span", "", "muted");
	private readonly banner = makeElement("p", "", "banner");
	private readonly help = makeHelp("Keys", "", [
		["Tab", "to the next heat map, flame graph or control"],
		["← → ↑ ↓", "in a heat map: move the range, with Shift enlarge it; in a flame graph: from frame to frame"],
		["Enter", "look at the range, or zoom to the frame"],
		["Esc", "close, end a selection, or show all frames"],
		["Ctrl Enter", "run the program"],
		["Ctrl Space", "complete what is being written"],
		...TIMELINE_KEYS.map(([key, what]) => [key, `in a timeline: ${what}`] as const),
		["s", "in distributions: shares, or what is not larger"],
		["d", "dark or light"],
		["?", "this help"],
	]);
	private readonly program = new ProgramView(flameOf);
	private readonly overview = new Overview();
	private readonly recording = new RecordingView();
	private view = "";
	private readonly links = new Map<string, HTMLAnchorElement>();

	constructor(root: HTMLElement) {
		const head = makeElement("header", "", "head"),
			nav = makeElement("nav");
		nav.ariaLabel = "Views";
		for (const [view, text] of [
			["overview", "Overview"],
			["recording", "Recordings"],
			["program", "Program"],
		] as const) {
			const link = makeLink(text, "#" + view);
			this.links.set(view, link);
			nav.append(link);
		}
		const program = (text: string) => {
			location.hash = "program/text=" + encodeURIComponent(text);
		};
		this.overview.onProgram = this.recording.onProgram = program;
		this.recording.onShow = () => {
			if (this.view !== "recording") history.pushState(null, "", "#recording");
			this.display("recording");
		};
		this.overview.onLink = this.recording.onLink = (link) => history.replaceState(null, "", "#" + link);
		this.state.role = "status";
		this.banner.hidden = true;
		head.append(
			makeElement("h1", "dwell"),
			nav,
			this.machine,
			makeSpacer(),
			this.state,
			makeThemeButton(),
			makeButton("?", "help (?)", () => this.help.showModal()),
		);
		const main = makeElement("main");
		main.append(this.banner, this.overview.element, this.recording.element, this.program.element);
		replaceChildren(root, head, main, this.help);
		listen(window, "hashchange", () => void this.open());
		listen(document, "keydown", (event) => this.key(event));
		void this.open();
		void this.poll();
	}

	private display(view: string): void {
		this.view = view;
		this.links.forEach((link, name) => {
			link.ariaCurrent = name === view ? "page" : null;
		});
		this.program.element.hidden = view !== "program";
		this.overview.element.hidden = view !== "overview";
		this.recording.element.hidden = view !== "recording";
	}

	private async open(): Promise<void> {
		const hash = location.hash.slice(1),
			[place, query] = hash.split("?", 2) as [string, string?];
		const [asked, ...rest] = place.split("/"),
			view = asked === "program" || asked === "recording" ? asked : "overview",
			parameters = new URLSearchParams(query ?? "");
		this.display(view);
		if (view === "overview") {
			this.overview.want(parameters);
			await this.overview.start();
		} else if (view === "recording") {
			await this.recording.start(rest[0] ?? "", parameters, tabName(rest[1]));
		} else if (rest.length) {
			await this.program.open(rest.join("/"), parameters);
		}
	}

	private async poll(): Promise<void> {
		try {
			this.show(await api.status());
		} catch (error) {
			const lost = !(error instanceof ApiError) || error.status === 0;
			this.state.textContent = lost ? "connection lost" : error.message;
			this.state.className = "connection bad";
		}
		setTimeout(() => void this.poll(), STATUS_MS);
	}

	private show(status: Status): void {
		this.machine.textContent = `${status.host} · Linux ${status.kernel}`;
		this.state.textContent = "connected";
		this.state.className = "connection";
		const mib = Math.round(status.memory_kib / 1024);
		this.state.title = `dwell ${status.release}, ${status.viewers} watching, server ${mib} MiB`;
		this.banner.hidden = status.privileged;
		this.banner.textContent = status.why_not ?? "";
		this.program.refuse(status.privileged ? null : (status.why_not ?? ""));
	}

	private key(event: KeyboardEvent): void {
		const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
		if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
		if (event.key === "?") this.help.showModal();
		else if (event.key === "d") toggleTheme();
	}
}

const app = new App(document.getElementById("app")!);
(window as unknown as { dwell: App }).dwell = app;
