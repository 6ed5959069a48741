/* SPDX-License-Identifier: Apache-2.0 */
/* Puts the delays of the tracker reclaim into a histogram for each group, @reclaim_group. The group is that
 * of the thread that waited (option -x by). Threads that do not match the filters are left out. `dwell latency` runs it
 * with reclaim.d for --by and for filters. */
latency:reclaim::all
/!(args[0]->how & HOW_NOT_ENDED) && wanted_of[curthread]/
{
	@reclaim_group[group_name_of[curthread]] = hist(args[0]->delay);
}

/* Emptied, so that nothing is printed at the end: dwell latency prints a table of the groups itself. */
END
{
	trunc(@reclaim_group);
}
