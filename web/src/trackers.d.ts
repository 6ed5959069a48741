// SPDX-License-Identifier: Apache-2.0
// What tools/trackers.py makes from the heads of dlib/latency when dwell is built.
declare module "trackers.json" {
	/** The default trackers come first, in their order. */
	const facts: {
		readonly trackers: readonly { readonly name: string; readonly what: string; readonly default: boolean }[];
	};
	export default facts;
}
