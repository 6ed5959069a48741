// SPDX-License-Identifier: Apache-2.0
// The stacks of the last minute of the live view.
import { api } from "./api.js";
import { FlameData, showFlame } from "./flames.js";
import { makeStackGroup } from "./stacksection.js";
import { origin, Source, times } from "./stretch.js";
import { MINUTE, SECOND } from "./trackerstate.js";
import { errorMessage, makeElement, makeNote, replaceChildren } from "../element.js";

const STACKS = ["on_cpu", "off_cpu_ns"];

export class LiveStacks {
	readonly element = makeElement("section", "", "picture wide");
	/** Other stacks were chosen. */
	onChange: () => void = () => {};
	private readonly flame = makeElement("div", "", "flame-host");
	private name = STACKS[0]!;

	constructor() {
		const bar = makeElement("div", "", "bar"),
			group = makeStackGroup(
				STACKS,
				() => this.name,
				(name) => {
					this.name = name;
					this.onChange();
				},
			);
		bar.append(makeElement("h2", "Stacks of the last minute"), group);
		this.element.append(bar, this.flame);
		this.say("The first stacks come after a few seconds.");
	}

	say(text: string): void {
		replaceChildren(this.flame, makeNote(text));
	}

	/** now: the newest second. again: a graph that somebody looks at closely stays. */
	async draw(source: Source, now: number, again: boolean): Promise<void> {
		const by = `@${this.name}`,
			to = (now + 1) * SECOND,
			{ from } = times(source, to - MINUTE * SECOND, to);
		try {
			const data = await api.view<FlameData>("live", "flame.json", { by, from });
			await showFlame(this.flame, data, again, origin(source, by, "row"));
		} catch (error) {
			this.say(errorMessage(error));
		}
	}
}
