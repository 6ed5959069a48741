// SPDX-License-Identifier: Apache-2.0
// Amounts with units, written as src/view/form/amount.c writes them.
import { BYTE_STEPS, LONG_STEP, TIME_STEPS, TIME_UNITS, UnitStep } from "./appearance.js";

/** In the largest unit that leaves at least 1 (2 minutes, 2 hours), with three digits. */
function scaled(value: number, steps: readonly UnitStep[]): string {
	let index = steps.length - 1;
	while (index > 0 && value < steps[index]!.size * (index < LONG_STEP ? 1 : 2)) index--;
	const { size, name } = steps[index]!,
		inUnit = value / size,
		whole = inUnit >= 100 || (index === 0 && Number.isInteger(inUnit));
	return `${inUnit.toFixed(whole ? 0 : inUnit >= 10 ? 1 : 2)} ${name}`;
}

/** A whole number with commas: 12,345. */
export function number(value: number): string {
	return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A value of a unit: "ns", "us", "ms", "bytes", another word, or "". */
export function amount(value: number, unit: string): string {
	const time = TIME_UNITS.find((step) => step.name === unit);
	if (time) return scaled(value * time.size, TIME_STEPS);
	if (unit === "bytes") return scaled(value, BYTE_STEPS);
	return number(value) + (unit ? " " + unit : "");
}

/** A share (0 … 1) as per cent. */
export function percent(share: number): string {
	return (100 * share).toFixed(2) + " %";
}
