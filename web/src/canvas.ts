// SPDX-License-Identifier: Apache-2.0
// Canvases that are as large as what they are in, in the pixels of the screen.

/** Gives the canvas the size (in CSS pixels) and a clean ground. False: there is no room. */
export function prepare(
	canvas: HTMLCanvasElement,
	context: CanvasRenderingContext2D,
	width: number,
	height: number,
): boolean {
	const scale = devicePixelRatio || 1,
		deviceWidth = Math.round(width * scale),
		deviceHeight = Math.round(height * scale);
	if (!deviceWidth || !deviceHeight) return false;
	if (canvas.width !== deviceWidth || canvas.height !== deviceHeight) {
		canvas.width = deviceWidth;
		canvas.height = deviceHeight;
		canvas.style.width = width + "px";
		canvas.style.height = height + "px";
	}
	context.setTransform(scale, 0, 0, scale, 0, 0);
	context.clearRect(0, 0, width, height);
	return true;
}

/** A function that has draw called before the next frame, once however often it is called. */
export function perFrame(draw: () => void): () => void {
	let pending = false;
	return () => {
		if (pending) return;
		pending = true;
		requestAnimationFrame(() => {
			pending = false;
			draw();
		});
	};
}
