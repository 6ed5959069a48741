/* SPDX-License-Identifier: Apache-2.0 */
/* by_key/fault.d: @fault_process, delays of the tracker fault by process name. With fault.d in a recording,
 * for `dwell latency profile` and `dwell latency diff`. */
latency:fault::all
/!(args[0]->how & HOW_NOT_ENDED)/
{
	@fault_process[args[0]->comm] = hist(args[0]->delay);
}

/* Not printed at the end: they are for recordings. */
END
{
	trunc(@fault_process);
}
