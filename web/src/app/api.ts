// SPDX-License-Identifier: Apache-2.0
// The server's API, as doc/api.md has it.

export interface Status {
	version: number;
	release: string;
	kernel: string;
	machine: string;
	host: string;
	privileged: boolean;
	why_not?: string;
	viewers: number;
	memory_kib: number;
}

export interface Program {
	name: string;
	summary: string;
	text?: string;
}

export interface Diagnostic {
	severity: "note" | "warning" | "error";
	tag: string;
	line?: number;
	column?: number;
	length?: number;
	message: string;
	hint?: string;
}

export interface Answer<T> {
	lines: T[];
	messages: string;
	cut: boolean;
}

export interface Probe {
	provider: string;
	module: string;
	function: string;
	name: string;
	unavailable?: string;
}

export interface Frame {
	addr: string;
	name: string;
}

export interface Bucket {
	from: number | null;
	to: number | null;
	count: number;
}

export type Value = number | string | boolean | null | Frame[] | { pid: number, complete: boolean, frames: Frame[] } |
	{ addr: string, name: string } | { bytes: string } | Bucket[] | { [member: string]: unknown };

export interface AggRow {
	key: Value[];
	values: (number | Bucket[] | null)[];
}

/** A line of `dwell --json`. */
export interface Line {
	type: string;
	time?: number;
	cpu?: number;
	provider?: string;
	module?: string;
	function?: string;
	name?: string;
	output?: { action: string, text?: string, value?: Value, [k: string]: unknown }[];
	aggregations?: { name: string, function: string }[];
	rows?: AggRow[];
	left_out?: number;
	text?: string;
	tag?: string;
	count?: number;
	status?: number;
	[k: string]: unknown;
}

export class ApiError extends Error {
	constructor(readonly status: number, text: string) {
		super(text);
	}
}

async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
	let r: Response;
	try {
		r = await fetch("/api/v1/" + path, { method, ...(body === undefined ? {} : {
			body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }) });
	} catch {
		throw new ApiError(0, "the server does not answer");
	}
	const o = await r.json().catch(() => ({ error: "the answer is not JSON" })) as T & { error?: string };
	if (!r.ok)
		throw new ApiError(r.status, o.error ?? r.statusText);
	return o;
}

export const api = {
	status: () => ask<Status>("GET", "status"),
	programs: async () => (await ask<{ programs: Program[] }>("GET", "programs")).programs,
	program: (name: string) => ask<Program>("GET", "programs/" + encodeURIComponent(name)),
	tracker: (name: string) => ask<Program>("GET", "programs/" + encodeURIComponent("latency." + name)),
	probes: (match: string) => ask<Answer<Probe>>("GET", "probes?match=" + encodeURIComponent(match)),
	check: (program: string) => ask<Answer<Diagnostic>>("POST", "check", { program }),
	run: async (program: string) => (await ask<{ run: number }>("POST", "runs", { program })).run,
	stop: (run: number) => ask<unknown>("DELETE", "runs/" + run),
	overview: async () => (await ask<{ run: number }>("POST", "overview", {})).run,
};

export interface Watcher {
	line: (l: Line) => void;
	lost: (n: number) => void;
	/** messages: what it said on standard error; null: the server does not know the run. */
	end: (messages: string | null) => void;
	/** The connection is there, or not: then it is tried again. */
	connected: (yes: boolean) => void;
}

/** Watches a run until it ends or the function that is returned is called. */
export function watch(run: number, w: Watcher): () => void {
	const source = new EventSource(`/api/v1/events?runs=${run}`);
	source.addEventListener("open", () => w.connected(true));
	source.addEventListener("error", () => w.connected(false));
	source.addEventListener("line", (e) => w.line((JSON.parse(e.data) as { line: Line }).line));
	source.addEventListener("lost", (e) => w.lost((JSON.parse(e.data) as { lost: number }).lost));
	source.addEventListener("end", (e) => {
		source.close();
		w.end((JSON.parse(e.data) as { end: string | null }).end);
	});
	return () => source.close();
}
