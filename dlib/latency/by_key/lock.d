/* SPDX-License-Identifier: Apache-2.0 */
/* by_key/lock.d: @lock_process, delays of the tracker lock by process name. With lock.d in a recording,
 * for `dwell latency profile` and `dwell latency diff`. */
latency:lock::all
/!(args[0]->how & HOW_NOT_ENDED)/
{
	@lock_process[args[0]->comm] = hist(args[0]->delay);
}

/* Not printed at the end: they are for recordings. */
END
{
	trunc(@lock_process);
}
