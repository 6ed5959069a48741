// SPDX-License-Identifier: Apache-2.0
// The page of `dwell serve`: views by the part of the address behind "#".
import { api, ApiError, Status } from "./app/api.js";
import { make, makeButton } from "./dom.js";
import { ProgramView } from "./app/programview.js";
import { flameOf } from "./app/flames.js";

const STATUS_MS = 5000;

class App {
	private readonly state = make("span", "", "connection");
	private readonly machine = make("span", "", "muted");
	private readonly banner = make("p", "", "banner");
	private readonly help = make("dialog");
	private readonly program = new ProgramView(flameOf);

	constructor(root: HTMLElement) {
		const head = make("header", "", "head"), nav = make("nav");
		nav.setAttribute("aria-label", "Views");
		const link = make("a", "Program");
		link.href = "#program";
		nav.append(link);
		this.state.setAttribute("role", "status");
		this.banner.hidden = true;
		head.append(make("h1", "dwell"), nav, this.machine, make("span", "", "grow"), this.state,
			makeButton("◐", "dark or light (d)", () => this.toggleTheme()), makeButton("?", "help (?)", () => this.help.showModal()));
		this.buildHelp();
		const main = make("main");
		main.append(this.banner, this.program.element);
		root.replaceChildren(head, main, this.help);
		window.addEventListener("hashchange", () => void this.open());
		document.addEventListener("keydown", (e) => this.key(e));
		void this.open();
		void this.poll();
	}

	private async open(): Promise<void> {
		const [view, ...rest] = location.hash.slice(1).split("/");
		if (view === "program" && rest.length)
			await this.program.open(rest.join("/"));
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
	}

	private toggleTheme(): void {
		const dark = getComputedStyle(document.documentElement).colorScheme.includes("dark");
		document.documentElement.dataset["theme"] = dark ? "light" : "dark";
	}

	private key(e: KeyboardEvent): void {
		const typing = e.target instanceof HTMLInputElement || e.target instanceof HTMLTextAreaElement;
		if (typing || e.ctrlKey || e.metaKey || e.altKey)
			return;
		if (e.key === "?")
			this.help.showModal();
		else if (e.key === "d")
			this.toggleTheme();
	}

	private buildHelp(): void {
		const list = make("dl"), keys: [string, string][] = [["Ctrl Enter", "run the program"], ["Ctrl Space", "complete what is being written"],
			["d", "dark or light"], ["?", "this help"], ["Esc", "close"]];
		for (const [k, what] of keys) {
			const dt = make("dt");
			dt.append(make("kbd", k));
			list.append(dt, make("dd", what));
		}
		this.help.setAttribute("aria-label", "Help");
		this.help.append(make("h1", "Keys"), list, makeButton("Close", "close the help", () => this.help.close()));
	}
}

const app = new App(document.getElementById("app")!);
(window as unknown as { dwell: App }).dwell = app;
