/* SPDX-License-Identifier: Apache-2.0 */
/* Puts the delays of the tracker fs into a histogram for each comm, @fs_process. Runs with fs.d
 * when a recording is made, for `dwell latency profile` and `dwell latency diff`. */
latency:fs::all
/!(args[0]->how & HOW_NOT_ENDED)/
{
	@fs_process[args[0]->comm] = hist(args[0]->delay);
}

/* Emptied, so that nothing is printed at the end: the histograms are for recordings. */
END
{
	trunc(@fs_process);
}
