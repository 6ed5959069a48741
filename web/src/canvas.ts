// SPDX-License-Identifier: Apache-2.0
// Canvases that are as large as what they are in, in the pixels of the screen.

/** Gives the canvas the size (in CSS pixels) and a clean ground. False: there is no room. */
export function prepare(canvas: HTMLCanvasElement, ctx: CanvasRenderingContext2D, width: number, height: number): boolean {
	const scale = devicePixelRatio || 1, w = Math.round(width * scale), h = Math.round(height * scale);
	if (!w || !h)
		return false;
	if (canvas.width !== w || canvas.height !== h) {
		canvas.width = w;
		canvas.height = h;
		canvas.style.width = width + "px";
		canvas.style.height = height + "px";
	}
	ctx.setTransform(scale, 0, 0, scale, 0, 0);
	ctx.clearRect(0, 0, width, height);
	return true;
}

/** A function that has draw called before the next frame, once however often it is called. */
export function perFrame(draw: () => void): () => void {
	let pending = false;
	return () => {
		if (pending)
			return;
		pending = true;
		requestAnimationFrame(() => {
			pending = false;
			draw();
		});
	};
}
