// SPDX-License-Identifier: Apache-2.0
// The choices that a heat map offers: scales of colour, ways of selecting, and what its lines mean.
import { makeElement, makeGroup, Group } from "./element.js";
import { HeatCells } from "./heatcells.js";
import { gradientCss, opacityCss } from "./heatcolour.js";
import { Scale, Selecting } from "./heatmodel.js";
import { isDark } from "./theme.js";

const SCALES: readonly (readonly [Scale, string, string])[] = [
	["rank", "rank", "colours by rank: faint patterns show"],
	["log", "log", "colours by the logarithm of the count"],
	["linear", "linear", "colours by the count"],
];
const SELECTING: readonly (readonly [Selecting, string, string])[] = [
	["highlight", "highlight", "selected keys in their colours over the rest"],
	["isolate", "isolate", "only selected keys"],
	["exclude", "exclude", "all but selected keys"],
];

/** Buttons that choose the scale; changed() paints. */
export function makeScaleGroup(cells: HeatCells, changed: () => void): Group {
	return makeGroup(
		SCALES,
		(scale) => scale === cells.scale,
		(scale) => {
			cells.scale = scale;
			changed();
		},
	);
}

/** Buttons that choose what selected keys mean; changed() counts again. */
export function makeSelectingGroup(cells: HeatCells, changed: () => void): Group {
	return makeGroup(
		SELECTING,
		(selecting) => selecting === cells.selecting,
		(selecting) => {
			cells.selecting = selecting;
			changed();
		},
	);
}

export function isScale(text: string | null): text is Scale {
	return SCALES.some(([scale]) => scale === text);
}

export function isSelecting(text: string | null): text is Selecting {
	return SELECTING.some(([selecting]) => selecting === text);
}

/** The colours from few to many: the gradient, or how visible the colours of keys are. */
export function rampCss(cells: HeatCells, stops: number): string {
	return cells.inKeyColours ? opacityCss() : gradientCss(isDark(), stops);
}

/** What the lines over a heat map are. */
export function makeLineLegend(): (HTMLElement | string)[] {
	return [
		makeElement("span", "", "line"),
		"median",
		makeElement("span", "", "line dash"),
		"99 %",
		makeElement("span", "", "line dots"),
		"average",
	];
}
