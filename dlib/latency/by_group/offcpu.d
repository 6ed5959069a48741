/* SPDX-License-Identifier: Apache-2.0 */
/* by_group/offcpu.d: @offcpu_group: delays of the tracker offcpu by the group of the thread
 * that waited. With offcpu.d, for `dwell latency --by`, and where only some threads are asked for. */
latency:offcpu::all
/!(args[0]->how & HOW_NOT_ENDED) && wanted_of[args[1]]/
{
	@offcpu_group[group_name_of[args[1]]] = hist(args[0]->delay);
}

/* Not printed at the end: dwell latency has a table of them. */
END
{
	trunc(@offcpu_group);
}
