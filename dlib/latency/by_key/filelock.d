/* SPDX-License-Identifier: Apache-2.0 */
/* by_key/filelock.d: @filelock_process, delays of the tracker filelock by process name. With filelock.d in a recording,
 * for `dwell latency profile` and `dwell latency diff`. */
latency:filelock::all
/!(args[0]->how & HOW_NOT_ENDED)/
{
	@filelock_process[args[0]->comm] = hist(args[0]->delay);
}

/* Not printed at the end: they are for recordings. */
END
{
	trunc(@filelock_process);
}
