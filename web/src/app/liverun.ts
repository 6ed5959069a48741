// SPDX-License-Identifier: Apache-2.0
// Runs the trackers of the live view: starts them, takes their lines into the model, finds their recording, and says
// when they have ended. Knows no page.
import { api, Contents, watch } from "./api.js";
import { LiveModel } from "./livemodel.js";
import { complaints } from "./output.js";
import { Source } from "./stretch.js";
import { sleep } from "../math.js";

const REFRESH_MS = 10000,
	CONTENTS_MS = 500,
	CONTENTS_TRIES = 20, // until the page says that there is no recording
	COMPLAINTS = 8;

/** Why the trackers have ended: errors of the compiler, or what dwell has said. */
export function endText(errors: readonly string[], messages: string | null): string {
	const why = (errors.length ? errors : complaints(messages).slice(-COMPLAINTS)).join("\n"),
		help = why ? "\n`dwell features` says what this kernel can do." : "";
	return `The trackers have ended. ${why}${help}`;
}

function readContents(): Promise<Contents> {
	return api.view<Contents>("live", "contents.json");
}

export class LiveRun {
	/** Of the run; 0: there is none. */
	number = 0;
	/** The recording of the live view; null: there is none yet. */
	source: Source | null = null;
	isConnected = true;
	onStart: () => void = () => {};
	onRefused: (error: unknown) => void = () => {};
	onLine: () => void = () => {};
	onConnected: () => void = () => {};
	/** Its recording can be read. */
	onRecording: () => void = () => {};
	onNoRecording: () => void = () => {};
	/** It is time to read the recording again. */
	onRefresh: (source: Source) => Promise<void> = async () => {};
	/** why; null: it starts again. */
	onEnd: (why: string | null) => void = () => {};
	private isRestarting = false; // the trackers start again when they have ended
	private unwatch: () => void = () => {};

	constructor(private readonly model: LiveModel) {}

	async start(): Promise<void> {
		if (this.number) return;
		try {
			this.number = await api.overview();
		} catch (error) {
			this.onRefused(error);
			return;
		}
		this.isRestarting = false;
		this.model.restart();
		this.onStart();
		void this.follow(this.number);
		this.unwatch = watch(this.number, {
			line: (line) => {
				this.model.take(line);
				this.onLine();
			},
			lost: (count) => this.model.takeForgotten(count),
			end: (text) => this.ended(text),
			connected: (yes) => {
				this.isConnected = yes;
				this.onConnected();
			},
		});
	}

	/** Ends the trackers and starts them again. */
	restart(): void {
		this.isRestarting = true;
		void api.stop(this.number);
	}

	/** Reads from the recording of the live view, which is there a moment after the view has begun. */
	private async follow(run: number): Promise<void> {
		for (let tries = 1; run === this.number && !(await this.openRecording()); tries++) {
			if (tries === CONTENTS_TRIES) this.onNoRecording();
			await sleep(CONTENTS_MS);
		}
		while (run === this.number) {
			await this.refresh();
			await sleep(REFRESH_MS);
		}
	}

	/** Whether the recording is there and has something. */
	private async openRecording(): Promise<boolean> {
		const run = this.number,
			info = await readContents().catch(() => null),
			isUsable = info !== null && info.histograms.length > 0 && info.stacks.length > 0 && this.model.now > 0;
		if (run !== this.number || !isUsable) return false;
		this.source = { id: "live", info };
		this.onRecording();
		return true;
	}

	private async refresh(): Promise<void> {
		const { source } = this;
		if (!source) return;
		await this.onRefresh(source);
		source.info = await readContents().catch(() => source.info);
	}

	private ended(messages: string | null): void {
		const { isRestarting } = this;
		this.unwatch();
		this.number = 0;
		this.source = null;
		this.onEnd(isRestarting ? null : endText(this.model.errors, messages));
		if (isRestarting) void this.start();
	}
}
