// SPDX-License-Identifier: Apache-2.0
// What a slow event says of its reason.
import { Value } from "./api.js";
import { show } from "./output.js";
import { amount } from "../amount.js";

/** What why() says. */
export interface Cause {
	class: string;
	cause: string;
}

/** What why() says, and the registers of who waited: a futex that is waited for as one waits for a condition. */
export function causeOf(attributes: Record<string, Value>): Cause | undefined {
	const cause = attributes["cause"] as unknown as Cause | undefined;
	return Number(attributes["condition"] ?? 0) && cause?.cause?.startsWith("futex (")
		? { class: "ipc", cause: "a condition or semaphore" }
		: cause;
}

/**
 * Shown only when asked for, as in dwell latency and dwell top (cause_is_idle()): a wait for something to do, or a
 * sleep.
 */
export function isIdle(cause: Cause | undefined): boolean {
	return cause?.class === "idle" || cause?.class === "time";
}

/** A wait for another thread, process or machine: that it has to do with slowness cannot be told. */
export function isPeer(cause: Cause | undefined): boolean {
	return (
		cause !== undefined &&
		(["ipc", "net", "process"].includes(cause.class) || cause.cause.startsWith("futex (lock or condition)"))
	);
}

function holderText(comm: string, tid: string): string {
	return comm ? `, held by ${comm}${tid}` : "";
}

/** Why a thread waited for a CPU; before: the thread that had the CPU. */
function wakeupText(state: string, before: string): string {
	if (state === "preempted") return `preempted by ${before}`;
	if (state === "throttled") return "throttled: its cgroup had used up its CPU limit";
	return `${state} while ${before} was on the CPU`;
}

/** In one line; short: without what is different each time. */
export function reason(tracker: string, attributes: Record<string, Value>, short: boolean): string {
	const text = (key: string) =>
		attributes[key] === undefined || attributes[key] === "" ? "" : show(attributes[key]!);
	const cause =
		attributes["cause"] && typeof attributes["cause"] === "object" && "cause" in attributes["cause"]
			? String(causeOf(attributes)!.cause)
			: "";
	switch (tracker) {
		case "wakeup":
			return wakeupText(text("state"), text("prev_comm") + (short ? "" : ` ${text("prev_tid")}`));
		case "block":
			return short
				? `${text("op")} on ${text("dev")}`
				: `${text("op")} of ${amount(Number(attributes["bytes"] ?? 0), "bytes")} on ${text("dev")}`;
		case "lock":
			return (
				(cause || text("lock_kind")) + holderText(text("holder_comm"), short ? "" : ` ${text("holder_tid")}`)
			);
		case "irq":
			return `handler ${text("name")} of interrupt ${text("irq")}`;
		case "softirq":
			return text("vec");
		default:
			return cause
				? cause + (!short && text("waker_comm") ? `, woken by ${text("waker_comm")} ${text("waker_tid")}` : "")
				: Object.entries(attributes)
						.filter(([, value]) => typeof value !== "object")
						.slice(0, 3)
						.map(([name, value]) => (short ? show(value) : `${name} ${show(value)}`))
						.join(", ");
	}
}
