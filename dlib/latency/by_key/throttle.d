/* SPDX-License-Identifier: Apache-2.0 */
/* by_key/throttle.d: @throttle_process, delays of the tracker throttle by process name. With throttle.d in a recording,
 * for `dwell latency profile` and `dwell latency diff`. */
latency:throttle::all
/!(args[0]->how & HOW_NOT_ENDED)/
{
	@throttle_process[args[0]->comm] = hist(args[0]->delay);
}

/* Not printed at the end: they are for recordings. */
END
{
	trunc(@throttle_process);
}
