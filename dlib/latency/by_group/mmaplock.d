/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up the delays of the tracker mmaplock by the group of the thread that waited, as @mmaplock_group. `dwell
 * latency` runs it with mmaplock.d for --by and for filters. */
latency:mmaplock::all
/!(args[0]->how & HOW_NOT_ENDED) && wanted_of[curthread]/
{
	@mmaplock_group[group_name_of[curthread]] = hist(args[0]->delay);
}

/* Not printed at the end: dwell latency has a table of them. */
END
{
	trunc(@mmaplock_group);
}
