/* SPDX-License-Identifier: Apache-2.0 */
/* by_group/usdt.d: @usdt_group: delays of the tracker usdt by the group of the thread
 * that waited. With usdt.d, for `dwell latency --by`, and where only some threads are asked for. */
latency:usdt::all
/!(args[0]->how & HOW_NOT_ENDED) && wanted_of[curthread]/
{
	@usdt_group[group_name_of[curthread]] = hist(args[0]->delay);
}

/* Not printed at the end: dwell latency has a table of them. */
END
{
	trunc(@usdt_group);
}
