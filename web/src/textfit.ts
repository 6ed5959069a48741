// SPDX-License-Identifier: Apache-2.0
// Cuts texts to the room that they have. Knows no canvas: it is told how wide texts are.

const FIRST = 32,
	END = 127, // characters with widths of their own: those of ASCII
	LEAST_LETTERS = 2; // that a cut text has, so that it says something

export class TextFit {
	private readonly widths = new Float32Array(END + 1);
	private other = 0;
	private ellipsis = 0;

	/** Takes the widths of another font, in px. */
	measure(widthOf: (text: string) => number): void {
		for (let code = FIRST; code < END; code++) this.widths[code] = widthOf(String.fromCharCode(code));
		this.ellipsis = widthOf("…");
		this.other = widthOf("m");
	}

	/** As much of a text as there is room for; "": too little to say something. */
	cut(text: string, room: number): string {
		let width = 0,
			count = 0,
			fits = 0;
		for (; count < text.length; count++) {
			const code = text.charCodeAt(count);
			width += code < END ? this.widths[code]! : this.other;
			if (width + this.ellipsis <= room) fits = count + 1;
			if (width > room) break;
		}
		if (count === text.length) return text;
		return fits < LEAST_LETTERS ? "" : `${text.slice(0, fits)}…`;
	}
}
