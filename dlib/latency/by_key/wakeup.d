/* SPDX-License-Identifier: Apache-2.0 */
/* by_key/wakeup.d: @wakeup_process, delays of the tracker wakeup by process name. With wakeup.d in a recording,
 * for `dwell latency profile` and `dwell latency diff`. */
latency:wakeup::all
/!(args[0]->how & HOW_NOT_ENDED)/
{
	@wakeup_process[args[0]->comm] = hist(args[0]->delay);
}

/* Not printed at the end: they are for recordings. */
END
{
	trunc(@wakeup_process);
}
