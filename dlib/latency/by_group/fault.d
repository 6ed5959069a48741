/* SPDX-License-Identifier: Apache-2.0 */
/* by_group/fault.d: @fault_group: delays of the tracker fault by the group of the thread
 * that waited. With fault.d, for `dwell latency --by`, and where only some threads are asked for. */
latency:fault::all
/!(args[0]->how & HOW_NOT_ENDED) && wanted_of[curthread]/
{
	@fault_group[group_name_of[curthread]] = hist(args[0]->delay);
}

/* Not printed at the end: dwell latency has a table of them. */
END
{
	trunc(@fault_group);
}
