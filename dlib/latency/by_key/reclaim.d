/* SPDX-License-Identifier: Apache-2.0 */
/* Puts the delays of the tracker reclaim into a histogram for each comm, @reclaim_process. Runs with reclaim.d
 * when a recording is made, for `dwell latency profile` and `dwell latency diff`. */
latency:reclaim::all
/!(args[0]->how & HOW_NOT_ENDED)/
{
	@reclaim_process[args[0]->comm] = hist(args[0]->delay);
}

/* Emptied, so that nothing is printed at the end: the histograms are for recordings. */
END
{
	trunc(@reclaim_process);
}
