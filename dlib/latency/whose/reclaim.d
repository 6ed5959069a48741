/* SPDX-License-Identifier: Apache-2.0 */
/* whose/reclaim.d: beside reclaim.d in a recording: which threads must free memory, by name, for `dwell latency profile` and `diff`. */
latency:reclaim::all
/!(args[0]->how & 3)/
{
	@reclaim_process[args[0]->comm] = hist(args[0]->delay);
}

/* Who wants to see them has the recording. */
END
{
	trunc(@reclaim_process);
}
