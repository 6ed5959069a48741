// SPDX-License-Identifier: Apache-2.0
// The page of `dwell serve CORE`: constructors, the largest retainers and repeated texts of a core of Node; the objects
// of a constructor; an object. Its address says what is shown.
import { amount, number } from "./amount.js";
import { AnswerBox } from "./core/answerbox.js";
import { CoreAsker } from "./core/coreasker.js";
import { CoreStatus, GroupLine, ObjectLine, RetainedLine, StringsLine } from "./core/coredata.js";
import { CoreLook, ListName, LISTS, readLook, writeLook } from "./core/corelook.js";
import { GroupTable } from "./core/grouptable.js";
import { ObjectView } from "./core/objectview.js";
import { ValueText } from "./core/valuetext.js";
import {
	addRow,
	errorMessage,
	listen,
	makeButton,
	makeElement,
	makeLink,
	makeNote,
	makeSpacer,
	makeTable,
	numberCell,
	replaceChildren,
} from "./element.js";
import { toggleTheme } from "./theme.js";

const TITLES: Record<ListName, string> = {
	constructors: "Constructors",
	retainers: "Largest retainers",
	strings: "Repeated texts",
};
const BUSY = "Reading the core; a large one takes some seconds the first time …";
const OBJECTS_MAX = 500;
const LINE = new ValueText(200);

class CorePage {
	private look = readLook(location.hash);
	private readonly asker = new CoreAsker();
	private readonly summary = makeElement("span", "", "muted");
	private readonly nav = makeElement("nav");
	private readonly columns = makeElement("div", "", "core");
	private readonly list = new AnswerBox();
	private readonly objects = new AnswerBox();
	private readonly back = makeElement("p");
	private readonly chosen = makeElement("section", "", "chosen");
	private readonly objectView: ObjectView;
	private groups: GroupTable | null = null;
	private shownList: ListName | "" = "";

	constructor(root: HTMLElement) {
		const head = makeElement("header", "", "head"),
			main = makeElement("main"),
			left = makeElement("section", "", "list");
		this.objectView = new ObjectView(this.asker, (object) => this.address({ object }));
		head.append(
			makeElement("h1", "dwell core"),
			this.nav,
			this.summary,
			makeSpacer(),
			makeButton("◐", "dark or light", toggleTheme),
		);
		left.append(this.list.element);
		this.chosen.append(this.back, this.objects.element, this.objectView.element);
		this.columns.append(left, this.chosen);
		main.append(this.columns);
		replaceChildren(root, head, main);
		listen(window, "hashchange", () => this.open());
		this.open();
		void this.showStatus();
	}

	private address(change: Partial<CoreLook>): string {
		return writeLook({ ...this.look, ...change });
	}

	private open(): void {
		this.look = readLook(location.hash);
		const { list, like, object } = this.look;
		this.chosen.scrollTop = 0;
		if ((like || object) && matchMedia("(max-width: 900px)").matches) scrollTo(0, 0); // it stands above the list
		replaceChildren(
			this.nav,
			...LISTS.map((name) => {
				const link = makeLink(TITLES[name], writeLook({ list: name, like: "", object: "" }));
				if (name === list) link.ariaCurrent = "page";
				return link;
			}),
		);
		this.columns.classList.toggle("has-chosen", like !== "" || object !== "");
		this.showList();
		this.showBack();
		this.objects.element.hidden = object !== "";
		this.objectView.element.hidden = object === "";
		if (object) this.objectView.show(object);
		else this.showObjects();
	}

	private async showStatus(): Promise<void> {
		try {
			const [status] = await this.asker.ask<CoreStatus>("status");
			if (!status) return;
			const { command, comm, pid, threads, core_bytes } = status;
			this.summary.textContent = `${command || comm} · process ${pid} · ${threads} threads · ${amount(core_bytes, "bytes")} of memory`;
			document.title = `${command || comm} – dwell core`;
		} catch (error) {
			this.summary.textContent = errorMessage(error);
		}
	}

	/** The way back to the list of objects. */
	private showBack(): void {
		const { like, object } = this.look;
		this.back.hidden = !object;
		replaceChildren(
			this.back,
			makeLink(
				like ? "‹ all of them" : "‹ close",
				this.address({ object: "" }),
				"the list that it was chosen from",
			),
		);
	}

	// -- the list --

	private showList(): void {
		const { list, like } = this.look;
		if (list === this.shownList) {
			this.groups?.select(like);
			return;
		}
		this.shownList = list;
		this.groups = null;
		if (list === "constructors")
			void this.list.show(BUSY, this.asker.ask<GroupLine>("constructors"), (lines) => this.makeGroups(lines));
		else if (list === "retainers")
			void this.list.show(BUSY, this.asker.ask<RetainedLine>("retainers"), (lines) => [
				this.objectView.makeRetainers(lines),
			]);
		else void this.list.show(BUSY, this.asker.ask<StringsLine>("strings"), (lines) => [this.makeStrings(lines)]);
	}

	private makeGroups(lines: GroupLine[]): HTMLElement[] {
		this.groups = new GroupTable(lines, (like) => this.address({ like, object: "" }));
		this.groups.select(this.look.like);
		return [this.groups.element];
	}

	private makeStrings(lines: StringsLine[]): HTMLElement {
		const { table, body } = makeTable("", [["strings", "n"], ["wasted", "n"], ["text"]]);
		for (const line of lines) {
			const cell = makeElement("td", "", "name");
			cell.append(makeLink(LINE.line(line.text), this.address({ object: line.string }), "one of the strings"));
			addRow(body, line.string, numberCell(number(line.copies)), numberCell(amount(line.wasted, "bytes")), cell);
		}
		return table;
	}

	// -- the objects that are alike --

	private showObjects(): void {
		const { list, like } = this.look;
		if (!like) {
			this.objects.clear(
				list === "constructors" ? "A click on a constructor shows its objects." : "A click shows the object.",
			);
			return;
		}
		void this.objects.show("Reading …", this.asker.ask<ObjectLine>("objects", like), (lines) =>
			this.makeObjects(lines),
		);
	}

	private makeObjects(lines: ObjectLine[]): HTMLElement[] {
		const { table, body } = makeTable("", [["address"], ["object"]]);
		for (const { address, value } of lines) {
			const cell = makeElement("td");
			cell.append(makeLink(address, this.address({ object: address }), "its properties, and what refers to it"));
			addRow(body, "", cell, makeElement("td", LINE.line(value), "name"));
		}
		return [
			makeElement("h2", lines[0]?.constructor || "Objects"),
			table,
			...(lines.length < OBJECTS_MAX ? [] : [makeNote(`The first ${OBJECTS_MAX} are shown.`)]),
		];
	}
}

const page = new CorePage(document.getElementById("app")!);
Object.assign(window, { dwell: page });
