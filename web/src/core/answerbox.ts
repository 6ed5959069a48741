// SPDX-License-Identifier: Apache-2.0
// A box for an answer that comes later: says that it is waited for, or why there is none. Only the last question counts.
import { errorMessage, makeElement, makeNote, replaceChildren } from "../element.js";

export class AnswerBox {
	readonly element = makeElement("div");
	private turn = 0;

	/** busy: the text of the box meanwhile. */
	async show<T>(busy: string, answer: Promise<T>, make: (lines: T) => HTMLElement[]): Promise<void> {
		const turn = ++this.turn;
		this.element.ariaBusy = "true";
		replaceChildren(this.element, makeNote(busy));
		let made: HTMLElement[];
		try {
			made = make(await answer);
		} catch (error) {
			made = [makeNote(errorMessage(error))];
		}
		if (turn !== this.turn) return;
		replaceChildren(this.element, ...made);
		this.element.ariaBusy = "false";
	}

	clear(text: string): void {
		this.turn++;
		this.element.ariaBusy = "false";
		replaceChildren(this.element, makeNote(text));
	}
}
