/* SPDX-License-Identifier: Apache-2.0 */
/* by_key/offcpu.d: @offcpu_process, delays of the tracker offcpu by process name. With offcpu.d in a recording,
 * for `dwell latency profile` and `dwell latency diff`. */
latency:offcpu::all
/!(args[0]->how & HOW_NOT_ENDED)/
{
	@offcpu_process[args[0]->comm] = hist(args[0]->delay);
}

/* Not printed at the end: they are for recordings. */
END
{
	trunc(@offcpu_process);
}
