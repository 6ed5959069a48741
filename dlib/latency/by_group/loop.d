/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up the delays of the trackers loop, held by the group of the thread that waited, as @loop_group, @held_group.
 * `dwell latency` runs it with loop.d for --by and for filters. */
latency:loop::all
/!(args[0]->how & HOW_NOT_ENDED) && wanted_of[curthread]/
{
	@loop_group[group_name_of[curthread]] = hist(args[0]->delay);
}

latency:held::all
/!(args[0]->how & HOW_NOT_ENDED) && wanted_of[curthread]/
{
	@held_group[group_name_of[curthread]] = hist(args[0]->delay);
}

/* Not printed at the end: dwell latency has a table of them. */
END
{
	trunc(@loop_group);
	trunc(@held_group);
}
