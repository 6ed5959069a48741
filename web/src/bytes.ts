// SPDX-License-Identifier: Apache-2.0
// Data that a page carries with it: base64 of deflated bytes, numbers as LEB128.

/** The bytes of an element's text: base64 of a zlib stream. */
export async function unpack(base64: string): Promise<Uint8Array> {
	const text = atob(base64.trim());
	const packed = new Uint8Array(text.length);
	for (let i = 0; i < text.length; i++) packed[i] = text.charCodeAt(i);
	const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Reads numbers and texts one after another. After the end everything is 0. */
export class Reader {
	private at = 0;
	private static readonly text = new TextDecoder();

	constructor(private readonly bytes: Uint8Array) {}

	/** An unsigned number; exact up to 2^53. */
	number(): number {
		let value = 0,
			factor = 1,
			byte;
		do {
			byte = this.bytes[this.at++] ?? 0;
			value += (byte & 127) * factor;
			factor *= 128;
		} while (byte & 128);
		return value;
	}

	raw(): Uint8Array {
		const count = this.number();
		const part = this.bytes.subarray(this.at, this.at + count);
		this.at += count;
		return part;
	}

	string(): string {
		return Reader.text.decode(this.raw());
	}
}
