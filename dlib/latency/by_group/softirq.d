/* SPDX-License-Identifier: Apache-2.0 */
/* by_group/softirq.d: @softirq_group: delays of the tracker softirq by the group of the thread
 * that was interrupted. With softirq.d, for `dwell latency --by`, and where only some threads are asked for. */
latency:softirq::all
/!(args[0]->how & HOW_NOT_ENDED) && wanted_of[curthread]/
{
	@softirq_group[group_name_of[curthread]] = hist(args[0]->delay);
}

/* Not printed at the end: dwell latency has a table of them. */
END
{
	trunc(@softirq_group);
}
