/* SPDX-License-Identifier: Apache-2.0 */
/* by_key/reclaim.d: @reclaim_process, delays of the tracker reclaim by process name. With reclaim.d in a recording,
 * for `dwell latency profile` and `dwell latency diff`. */
latency:reclaim::all
/!(args[0]->how & HOW_NOT_ENDED)/
{
	@reclaim_process[args[0]->comm] = hist(args[0]->delay);
}

/* Not printed at the end: they are for recordings. */
END
{
	trunc(@reclaim_process);
}
