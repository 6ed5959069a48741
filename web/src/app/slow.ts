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
export function causeOf(a: Record<string, Value>): Cause | undefined {
	const cause = a["cause"] as unknown as Cause | undefined;
	return Number(a["condition"] ?? 0) && cause?.cause?.startsWith("futex (") ? { class: "ipc", cause: "a condition or semaphore" } : cause;
}

/** Shown only when asked for, as in dwell latency and dwell top (cause_is_idle()): a wait for something to do, or a sleep. */
export function isIdle(c: Cause | undefined): boolean {
	return c?.class === "idle" || c?.class === "time";
}

/** A wait for another thread, process or machine: that it has to do with slowness cannot be told. */
export function isPeer(c: Cause | undefined): boolean {
	return c !== undefined && (["ipc", "net", "process"].includes(c.class) || c.cause.startsWith("futex (lock or condition)"));
}

/** In one line; short: without what is different each time. */
export function reason(tracker: string, a: Record<string, Value>, short: boolean): string {
	const text = (k: string) => a[k] === undefined || a[k] === "" ? "" : show(a[k]!);
	const cause = a["cause"] && typeof a["cause"] === "object" && "cause" in a["cause"] ? String(causeOf(a)!.cause) : "";
	switch (tracker) {
	case "wakeup":
		return `${text("state")}; the CPU was ${text("prev_comm")}${short ? "" : " " + text("prev_tid")}'s`;
	case "block":
		return short ? `${text("op")} on ${text("dev")}` : `${text("op")} of ${amount(Number(a["bytes"] ?? 0), "bytes")} on ${text("dev")}`;
	case "lock":
		return `${cause || text("lock_kind")}${text("holder_comm") ? `, held by ${text("holder_comm")}${short ? "" : " " + text("holder_tid")}` : ""}`;
	case "irq":
		return `handler ${text("name")} of interrupt ${text("irq")}`;
	case "softirq":
		return text("vec");
	default:
		return cause ? cause + (!short && text("waker_comm") ? `, woken by ${text("waker_comm")} ${text("waker_tid")}` : "") :
			Object.entries(a).filter(([, v]) => typeof v !== "object").slice(0, 3).map(([k, v]) => short ? show(v) : `${k} ${show(v)}`).join(", ");
	}
}
