// SPDX-License-Identifier: Apache-2.0
// What is called most, by names that can be shortened: the bundler puts these in place of Math.max … (src/view/meson.build).
export const { max: mathMax, min: mathMin, floor: mathFloor, round: mathRound, abs: mathAbs, ceil: mathCeil } = Math;

export function sleep(ms: number): Promise<void> {
	return new Promise((go) => setTimeout(go, ms));
}
