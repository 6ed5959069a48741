/* SPDX-License-Identifier: Apache-2.0 */
/* by_group/reclaim.d: @reclaim_group: delays of the tracker reclaim by the group of the thread
 * that waited. With reclaim.d, for `dwell latency --by`, and where only some threads are asked for. */
latency:reclaim::all
/!(args[0]->how & HOW_NOT_ENDED) && wanted_of[curthread]/
{
	@reclaim_group[group_name_of[curthread]] = hist(args[0]->delay);
}

/* Not printed at the end: dwell latency has a table of them. */
END
{
	trunc(@reclaim_group);
}
