// SPDX-License-Identifier: Apache-2.0
// Asks the server about the core. A core does not change: an answer is kept.
import { api } from "../app/api.js";

const KEPT_MAX = 200;

export class CoreAsker {
	private readonly kept = new Map<string, Promise<unknown[]>>();

	ask<T>(question: string, at = ""): Promise<T[]> {
		const key = `${question} ${at}`,
			old = this.kept.get(key);
		if (old) return old as Promise<T[]>;
		const answer = api.core<T>(question, { at });
		this.kept.set(key, answer);
		if (this.kept.size > KEPT_MAX) this.kept.delete(this.kept.keys().next().value!);
		answer.catch(() => this.kept.delete(key));
		return answer;
	}
}
