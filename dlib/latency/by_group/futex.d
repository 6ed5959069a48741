/* SPDX-License-Identifier: Apache-2.0 */
/* by_group/futex.d: @futex_group: delays of the tracker futex by the group of the thread
 * that waited. With futex.d, for `dwell latency --by`, and where only some threads are asked for. */
latency:futex::all
/!(args[0]->how & HOW_NOT_ENDED) && wanted_of[curthread]/
{
	@futex_group[group_name_of[curthread]] = hist(args[0]->delay);
}

/* Not printed at the end: dwell latency has a table of them. */
END
{
	trunc(@futex_group);
}
