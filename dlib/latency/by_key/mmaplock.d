/* SPDX-License-Identifier: Apache-2.0 */
/* by_key/mmaplock.d: @mmaplock_process, delays of the tracker mmaplock by process name. With mmaplock.d in a recording,
 * for `dwell latency profile` and `dwell latency diff`. */
latency:mmaplock::all
/!(args[0]->how & HOW_NOT_ENDED)/
{
	@mmaplock_process[args[0]->comm] = hist(args[0]->delay);
}

/* Not printed at the end: they are for recordings. */
END
{
	trunc(@mmaplock_process);
}
