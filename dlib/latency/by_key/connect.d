/* SPDX-License-Identifier: Apache-2.0 */
/* by_key/connect.d: @connect_process, delays of the tracker connect by process name. With connect.d in a recording,
 * for `dwell latency profile` and `dwell latency diff`. */
latency:connect::all
/!(args[0]->how & HOW_NOT_ENDED)/
{
	@connect_process[args[0]->comm] = hist(args[0]->delay);
}

/* Not printed at the end: they are for recordings. */
END
{
	trunc(@connect_process);
}
