/* SPDX-License-Identifier: Apache-2.0 */
/* by_key/fsync.d: @fsync_process, delays of the tracker fsync by process name. With fsync.d in a recording,
 * for `dwell latency profile` and `dwell latency diff`. */
latency:fsync::all
/!(args[0]->how & HOW_NOT_ENDED)/
{
	@fsync_process[args[0]->comm] = hist(args[0]->delay);
}

/* Not printed at the end: they are for recordings. */
END
{
	trunc(@fsync_process);
}
