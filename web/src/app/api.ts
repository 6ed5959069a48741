// SPDX-License-Identifier: Apache-2.0
// The server's API, as doc/api.md has it.
import { sleep } from "../math.js";
import { Kind } from "../framecolour.js";

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
	/** Names that could stand there. */
	choices?: { name: string; type: string }[];
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

export type Value =
	| number
	| string
	| boolean
	| null
	| Frame[]
	| { pid: number; complete: boolean; frames: Frame[] }
	| { addr: string; name: string }
	| { bytes: string }
	| Bucket[]
	| { [member: string]: unknown };

export interface AggRow {
	key: Value[];
	values: (number | Bucket[] | null)[];
}

/** What a line of type "drop" counts. */
export type LossKind = "lost" | "left out" | "no loss";

/** A line of `dwell --json`. */
export interface Line {
	type: string;
	time?: number;
	cpu?: number;
	provider?: string;
	module?: string;
	function?: string;
	name?: string;
	output?: { action: string; text?: string; value?: Value; [key: string]: unknown }[];
	aggregations?: { name: string; function: string }[];
	rows?: AggRow[];
	left_out?: number;
	text?: string;
	tag?: string;
	kind?: LossKind | undefined;
	count?: number;
	status?: number;
	[key: string]: unknown;
}

/** One that the server can show. */
export interface RecordingInfo {
	id: string;
	kind: "live" | "file" | "sent";
	name: string;
	bytes: number;
}

/** What is in a recording; times in ns of its clock. */
export interface Contents {
	host: string;
	kernel: string;
	machine: string;
	dwell: string;
	begun: number;
	wall_off: number;
	extent: [number, number] | null;
	seconds: [number, number] | null;
	programs: { name: string; text: string }[];
	stacks: { name: string; unit: string }[];
	histograms: {
		kind: "tracker" | "aggregation";
		name: string;
		unit: string;
		count: number;
		keys: number;
		p50: number;
		p99: number;
		max: number;
		slot: number;
	}[]; // slot: ns, 0: its first key is no time
	slow: number;
	lost: number;
	left_out: number; // by a limit that can be set
	timer_due: number; // timer samples
	timer_idle: number; // of these, the CPU was idle
}

export interface SlowRow {
	ended: number;
	delay: number;
	tracker: string;
	comm: string;
	pid: number;
	tid: number;
	how: string;
	key: string;
	end_comm: string;
	end_tid: number;
	attributes: Record<string, Value>;
}

/** Colours of the kinds of frames, and the kind of those without a name. */
export interface FrameKinds {
	kinds: (Kind & { name: string })[];
	unknown: number;
}

export type Params = Record<string, string | number | undefined>;

export class ApiError extends Error {
	constructor(
		readonly status: number,
		text: string,
	) {
		super(text);
	}
}

const BUSY_TRIES = 8,
	BUSY_MS = 250; // too many questions at once: asked again

async function send(path: string, init: RequestInit): Promise<Response> {
	for (let i = 1; ; i++) {
		const response = await fetch("/api/v1/" + path, init).catch(() => {
			throw new ApiError(0, "the server does not answer");
		});
		if (response.status !== 429 || i === BUSY_TRIES || init.method !== "GET") return response;
		await sleep(BUSY_MS * i);
	}
}

async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
	const response = await send(path, {
		method,
		...(body === undefined
			? {}
			: body instanceof Blob
				? {
						body,
						headers: { "Content-Type": "application/octet-stream" },
					}
				: {
						body: JSON.stringify(body),
						headers: { "Content-Type": "application/json" },
					}),
	});
	const answer = (await response.json().catch(() => ({ error: "the answer is not JSON" }))) as T & { error?: string };
	if (!response.ok) throw new ApiError(response.status, answer.error ?? response.statusText);
	return answer;
}

export interface Word {
	name: string;
	kind: string;
	prototype: string;
}

export interface TypeName {
	name: string;
	kind: string; // struct, union, enum, typedef, base
	from: string; // a module, "library", "language"
	size?: number; // bytes
}

function queryOf(params: Params): string {
	return Object.entries(params)
		.filter(([, value]) => value !== undefined && value !== "")
		.map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`)
		.join("&");
}

/** Lines that a child of the server answers with. */
async function askLines<T>(path: string, params: Params, tooLarge: string): Promise<T[]> {
	const answer = await ask<Answer<T>>("GET", `${path}?${queryOf(params)}`);
	if (answer.messages) throw new ApiError(0, answer.messages.trim());
	if (answer.cut) throw new ApiError(0, tooLarge);
	return answer.lines;
}

function viewPath(id: string, name: string, params: Params): string {
	const query = queryOf(params);
	return `recordings/${id}/${name}${query ? "?" + query : ""}`;
}

/** For a link that saves a view. */
export function viewUrl(id: string, name: string, params: Params = {}): string {
	return "/api/v1/" + viewPath(id, name, params);
}

let kinds: Promise<FrameKinds> | null = null;

export const api = {
	status: () => ask<Status>("GET", "status"),
	programs: async () => (await ask<{ programs: Program[] }>("GET", "programs")).programs,
	program: (name: string) => ask<Program>("GET", "programs/" + encodeURIComponent(name)),
	tracker: (name: string) => ask<Program>("GET", "programs/" + encodeURIComponent("latency." + name)),
	probes: (match: string) => ask<Answer<Probe>>("GET", "probes?match=" + encodeURIComponent(match)),
	check: (program: string) => ask<Answer<Diagnostic>>("POST", "check", { program }),
	run: async (program: string) => (await ask<{ run: number }>("POST", "runs", { program })).run,
	stop: (run: number) => ask<unknown>("DELETE", "runs/" + run),
	recordings: () => ask<{ recordings: RecordingInfo[]; upload_max: number }>("GET", "recordings"),
	upload: async (file: File) =>
		(await ask<{ id: string }>("POST", "recordings?name=" + encodeURIComponent(file.name), file)).id,
	view: <T>(id: string, name: string, params: Params = {}) => ask<T>("GET", viewPath(id, name, params)),
	/** Of a view that is a line each; what is not there is none. */
	viewLines: async <T>(id: string, name: string, params: Params = {}): Promise<T[]> => {
		const response = await send(viewPath(id, name, params), { method: "GET" }),
			text = await response.text();
		if (response.status === 422) return [];
		if (!response.ok) throw new ApiError(response.status, (JSON.parse(text) as { error: string }).error);
		return text
			.split("\n")
			.filter((line) => line)
			.map((line) => JSON.parse(line) as T);
	},
	frameKinds: () => (kinds ??= ask<FrameKinds>("GET", "framekinds")),
	/** Those that begin so, of one kind or ("") all; the first of them, by name. */
	types: (match: string, kind: string) =>
		ask<{ count: number; types: TypeName[] }>(
			"GET",
			`types?match=${encodeURIComponent(match)}${kind ? "&kind=" + kind : ""}`,
		),
	words: async () => (await ask<{ words: Word[] }>("GET", "words")).words,
	/** A question to a fleet's store: lines. */
	fleet: <T>(question: string, params: Params) =>
		askLines<T>(`fleet/${question}`, params, "the answer is too large: choose fewer hosts or a shorter range"),
	/** The same to a core. */
	core: <T>(question: string, params: Params) => askLines<T>(`core/${question}`, params, "the answer is too large"),
	overview: async () => (await ask<{ run: number }>("POST", "overview", {})).run,
};

export interface Watcher {
	line: (line: Line) => void;
	lost: (count: number) => void;
	/** messages: what it said on standard error; null: the server does not know the run. */
	end: (messages: string | null) => void;
	/** The connection is there, or not: then it is tried again. */
	connected: (yes: boolean) => void;
}

/** Watches a run until it ends or the function that is returned is called. */
export function watch(run: number, watcher: Watcher): () => void {
	const source = new EventSource(`/api/v1/events?runs=${run}`);
	source.addEventListener("open", () => watcher.connected(true));
	source.addEventListener("error", () => watcher.connected(false));
	source.addEventListener("line", (event) => watcher.line((JSON.parse(event.data) as { line: Line }).line));
	source.addEventListener("lost", (event) => watcher.lost((JSON.parse(event.data) as { lost: number }).lost));
	source.addEventListener("end", (event) => {
		source.close();
		watcher.end((JSON.parse(event.data) as { end: string | null }).end);
	});
	return () => source.close();
}
