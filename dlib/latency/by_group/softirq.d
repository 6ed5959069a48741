/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up the delays of the tracker softirq by the group of the thread that was interrupted, as @softirq_group.
 * `dwell latency` runs it with softirq.d for --by and for filters. */
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
