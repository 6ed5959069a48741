// SPDX-License-Identifier: Apache-2.0
// The stacks of a recording, or of a stretch of it: which aggregation, a flame graph, and what it can be saved as.
import { api, Params } from "./api.js";
import { FlameData, showFlame } from "./flames.js";
import { origin, Source } from "./stretch.js";
import { saveLinks, savePicture } from "./tabframe.js";
import { errorMessage, makeElement, makeGroup, makeNote, makeSpacer, replaceChildren } from "../element.js";

const TITLES: Record<string, string> = { on_cpu: "On the CPU", off_cpu_ns: "Off the CPU" };
/** What stacks are saved as for other tools. */
const STACK_FILES = [
	["stacks.folded", "folded"],
	["stacks.pb.gz", "pprof"],
] as const;

/** Buttons that choose an aggregation with stacks. */
export function makeStackGroup(names: readonly string[], now: () => string, set: (name: string) => void): HTMLElement {
	const choices = names.map((name) => [name, TITLES[name] ?? `@${name}`, `stacks of @${name}`] as const);
	return makeGroup(choices, (name) => name === now(), set).element;
}

/** What is shown of which recording. */
export interface StackRequest {
	source: Source;
	/** Stretches of time; empty: all of the recording. */
	params: Params;
	/** Of the picture that is saved; "": none. */
	title: string;
	/** Two stretches are compared: other tools cannot read that. */
	compared: boolean;
}

export class StackSection {
	readonly element = makeElement("div", "", "recording-part");
	/** The name of the aggregation; "": the recording has no stacks. */
	name = "";
	onChange: () => void = () => {};
	private readonly bar = makeElement("div", "", "bar");
	private readonly flame = makeElement("div", "", "flame-host");
	private request: StackRequest | null = null;
	private asked = 0;

	constructor(private readonly heading: string) {
		this.element.append(this.bar, this.flame);
	}

	/** Chooses the aggregation of this name, or the first one. */
	choose(source: Source, name: string | null): void {
		const { stacks } = source.info;
		this.name = (stacks.find((stack) => stack.name === name) ?? stacks[0])?.name ?? "";
	}

	/** Shows stacks in place of those that are shown. */
	async show(request: StackRequest): Promise<void> {
		this.request = request;
		this.element.hidden = !this.name;
		this.drawBar(request);
		await this.read(false);
	}

	/** Reads the same again; a graph that somebody looks at closely stays. */
	async refresh(): Promise<void> {
		await this.read(true);
	}

	/** What is being read is not shown any more. */
	cancel(): void {
		this.asked++;
	}

	private drawBar({ source, params, title, compared }: StackRequest): void {
		const by = { by: `@${this.name}`, ...params },
			names = source.info.stacks.map((stack) => stack.name),
			group = makeStackGroup(
				names,
				() => this.name,
				(name) => {
					this.name = name;
					this.onChange();
					void this.show(this.request!);
				},
			),
			others = compared ? [] : [saveLinks(source.id, STACK_FILES, by)];
		replaceChildren(
			this.bar,
			makeElement("h3", this.heading),
			group,
			makeSpacer(),
			savePicture(source.id, "flame", title ? { ...by, title } : by, ...others),
		);
	}

	private async read(again: boolean): Promise<void> {
		const { source, params } = this.request!,
			asked = ++this.asked,
			by = `@${this.name}`;
		if (!this.name) return;
		try {
			const data = await api.view<FlameData>(source.id, "flame.json", { by, ...params });
			if (asked === this.asked) await showFlame(this.flame, data, again, origin(source, by, "row"));
		} catch (error) {
			if (asked === this.asked) replaceChildren(this.flame, makeNote(`No stacks: ${errorMessage(error)}`));
		}
	}
}
