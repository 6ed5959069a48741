// SPDX-License-Identifier: Apache-2.0
// One object of a core: its properties, who refers to it, the way from a root, and what it alone keeps in memory.
import { amount, number } from "../amount.js";
import {
	addRow,
	makeElement,
	makeLink,
	makeNote,
	makeSection,
	makeTable,
	numberCell,
	replaceChildren,
} from "../element.js";
import { AnswerBox } from "./answerbox.js";
import { CoreAsker } from "./coreasker.js";
import { ObjectLine, PathLine, PropertyLine, ReferenceLine, referenceText, RetainedLine } from "./coredata.js";
import { Json, ValueText } from "./valuetext.js";

const LINE = new ValueText(160),
	WHOLE = new ValueText(2000);
const PROPERTIES_MAX = 500,
	REFERENCES_MAX = 200;

/** Values that are something of their own, and have an address that leads further. */
function isObject(value: Json | undefined): boolean {
	if (value === null || typeof value !== "object") return typeof value === "string";
	return !("$undefined" in value);
}

export class ObjectView {
	readonly element = makeElement("section", "", "object");
	private readonly head = new AnswerBox();
	private readonly properties = new AnswerBox();
	private readonly references = new AnswerBox();
	private readonly path = new AnswerBox();
	private readonly retained = new AnswerBox();

	/** address: of the details of an object. */
	constructor(
		private readonly asker: CoreAsker,
		private readonly address: (object: string) => string,
	) {
		replaceChildren(
			this.element,
			this.head.element,
			makeSection("Properties", this.properties.element),
			makeSection("Referred to by", this.references.element),
			makeSection("Way from a root", this.path.element),
			makeSection("Keeps in memory", this.retained.element),
		);
	}

	show(at: string): void {
		const object = this.asker.ask<ObjectLine>("object", at);
		void this.head.show(`Reading ${at} …`, object, (lines) => this.makeHead(lines));
		void this.properties.show("Reading …", this.readProperties(at, object), (lines) => this.makeProperties(lines));
		void this.references.show("Searching …", this.asker.ask<ReferenceLine>("references", at), (lines) =>
			this.makeReferences(lines),
		);
		void this.path.show("Searching …", this.asker.ask<PathLine>("path", at), (lines) => this.makePath(lines));
		void this.retained.show("Counting …", this.asker.ask<RetainedLine>("dominated", at), (lines) =>
			this.makeRetained(lines),
		);
	}

	/** Of a function, the variables of those around it, too. */
	private async readProperties(at: string, object: Promise<ObjectLine[]>): Promise<PropertyLine[]> {
		const own = await this.asker.ask<PropertyLine>("properties", at),
			value = (await object)[0]?.value;
		if (value === null || typeof value !== "object" || !("$function" in value)) return own;
		const variables = await this.asker.ask<PropertyLine>("variables", at);
		return [...variables.map((line) => ({ ...line, name: `:${line.name ?? ""}` })), ...own];
	}

	private link(text: string, object: string | undefined, title = ""): HTMLElement {
		return object ? makeLink(text, this.address(object), title || object) : makeElement("span", text);
	}

	private makeHead([line]: ObjectLine[]): HTMLElement[] {
		if (!line) return [makeNote("There is no such object.")];
		const title = makeElement("h2", `${line.constructor || "object"} `);
		title.append(makeElement("code", line.address, "muted"));
		return [title, makeElement("pre", WHOLE.line(line.value), "value")];
	}

	private makeProperties(lines: PropertyLine[]): HTMLElement[] {
		if (!lines.length) return [makeNote("It has none.")];
		const { table, body } = makeTable("properties", [["name"], ["value"]]);
		for (const { name, address, value, more } of lines) {
			if (value === undefined) {
				if (more)
					addRow(body, "", "", `… ${number(more)} more, of which the first ${PROPERTIES_MAX} are shown`);
				continue;
			}
			const cell = makeElement("td", "", "name");
			cell.append(this.link(LINE.line(value), isObject(value) ? address : ""));
			addRow(body, address ?? "", makeElement("td", name ?? ""), cell);
		}
		return [table];
	}

	private makeReferences(lines: ReferenceLine[]): HTMLElement[] {
		if (!lines.length) return [makeNote("Nothing that is alive refers to it.")];
		const list = makeElement("ul");
		for (const line of lines) {
			const item = makeElement("li");
			item.append(this.link(referenceText(line), line.holder));
			list.append(item);
		}
		return lines.length < REFERENCES_MAX ? [list] : [list, makeNote(`The first ${REFERENCES_MAX} are shown.`)];
	}

	private makePath([line]: PathLine[]): HTMLElement[] {
		if (!line?.steps.length) return [makeNote("No way from a root was found: it may lead to itself alone.")];
		const list = makeElement("ol"),
			made: HTMLElement[] = [makeElement("pre", line.path, "value")];
		if (line.root) made.push(makeNote(`The root: ${line.root}`));
		for (const { object, what, step } of line.steps) {
			const item = makeElement("li");
			item.append(this.link(what, object), makeElement("span", ` ${step}`, "muted"));
			list.append(item);
		}
		return [...made, list];
	}

	private makeRetained([own, ...rest]: RetainedLine[]): HTMLElement[] {
		if (!own) return [makeNote("Nothing: it is dead.")];
		const told = makeNote(
			`${amount(own.retained, "bytes")} would be free if it went, ${amount(own.bytes, "bytes")} of them its own.`,
		);
		return rest.length ? [told, this.makeRetainers(rest)] : [told];
	}

	/** Objects with what they keep. */
	makeRetainers(lines: readonly RetainedLine[]): HTMLElement {
		const { table, body } = makeTable("", [["keeps", "n"], ["itself", "n"], ["what"]]);
		for (const line of lines) {
			const cell = makeElement("td", "", "name");
			cell.append(this.link(line.what, line.object));
			addRow(
				body,
				line.object,
				numberCell(amount(line.retained, "bytes")),
				numberCell(amount(line.bytes, "bytes")),
				cell,
			);
		}
		return table;
	}
}
