/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up the delays of the tracker park by the group of the thread that waited, as @park_group.
 * `dwell latency` runs it with park.d for --by and for filters. */
latency:park::all
/!(args[0]->how & HOW_NOT_ENDED) && wanted_of[curthread]/
{
	@park_group[group_name_of[curthread]] = hist(args[0]->delay);
}

/* Not printed at the end: dwell latency has a table of them. */
END
{
	trunc(@park_group);
}
