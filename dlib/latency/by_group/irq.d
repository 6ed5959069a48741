/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up the delays of the tracker irq by the group of the thread that was interrupted, as @irq_group. `dwell
 * latency` runs it with irq.d for --by and for filters. */
latency:irq::all
/!(args[0]->how & HOW_NOT_ENDED) && wanted_of[curthread]/
{
	@irq_group[group_name_of[curthread]] = hist(args[0]->delay);
}

/* Not printed at the end: dwell latency has a table of them. */
END
{
	trunc(@irq_group);
}
