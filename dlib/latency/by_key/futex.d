/* SPDX-License-Identifier: Apache-2.0 */
/* by_key/futex.d: @futex_process, delays of the tracker futex by process name. With futex.d in a recording,
 * for `dwell latency profile` and `dwell latency diff`. */
latency:futex::all
/!(args[0]->how & HOW_NOT_ENDED)/
{
	@futex_process[args[0]->comm] = hist(args[0]->delay);
}

/* Not printed at the end: they are for recordings. */
END
{
	trunc(@futex_process);
}
