/* SPDX-License-Identifier: Apache-2.0 */
/* by_group/gc.d: @gc_group: delays of the tracker gc by the group of the thread
 * that waited. With gc.d, for `dwell latency --by`, and where only some threads are asked for. */
latency:gc::all
/!(args[0]->how & HOW_NOT_ENDED) && wanted_of[curthread]/
{
	@gc_group[group_name_of[curthread]] = hist(args[0]->delay);
}

/* Not printed at the end: dwell latency has a table of them. */
END
{
	trunc(@gc_group);
}
