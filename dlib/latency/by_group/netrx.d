/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up the delays of the tracker netrx by the group of the thread that reads, as @netrx_group. `dwell latency`
 * runs it with netrx.d for --by and for filters. */
latency:netrx::all
/!(args[0]->how & HOW_NOT_ENDED) && wanted_of[curthread]/
{
	@netrx_group[group_name_of[curthread]] = hist(args[0]->delay);
}

/* Not printed at the end: dwell latency has a table of them. */
END
{
	trunc(@netrx_group);
}
