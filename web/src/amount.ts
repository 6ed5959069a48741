// SPDX-License-Identifier: Apache-2.0
// Amounts with units, as src/view/form/amount.c writes them.

type Step = [number, string];
const TIME: Step[] = [[1, "ns"], [1e3, "µs"], [1e6, "ms"], [1e9, "s"], [60e9, "min"], [3600e9, "h"]];
const BYTES: Step[] = [[1, "bytes"], [1024, "KiB"], [1048576, "MiB"], [1073741824, "GiB"]];
const TIME_UNITS: Record<string, number> = { ns: 1, us: 1e3, ms: 1e6 };

function scaled(v: number, steps: Step[]): string {
	let i = steps.length - 1;
	while (i > 0 && v < steps[i]![0] * (i < 4 ? 1 : 2)) // minutes from 2 on, and hours
		i--;
	const [factor, name] = steps[i]!;
	v /= factor;
	return v.toFixed(v >= 100 || (i === 0 && Number.isInteger(v)) ? 0 : v >= 10 ? 1 : 2) + " " + name;
}

export function number(v: number): string {
	return String(Math.round(v)).replace(/\B(?=(\d{3})+$)/g, ",");
}

export function amount(v: number, unit: string): string {
	if (unit in TIME_UNITS)
		return scaled(v * TIME_UNITS[unit]!, TIME);
	if (unit === "bytes")
		return scaled(v, BYTES);
	return number(v) + (unit ? " " + unit : "");
}

export function percent(share: number): string {
	return (100 * share).toFixed(2) + " %";
}
