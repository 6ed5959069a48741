/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up the delays of the tracker wakeup by the group of the thread that waited, as @wakeup_group. `dwell latency`
 * runs it with wakeup.d for --by and for filters. */
latency:wakeup::all
/!(args[0]->how & HOW_NOT_ENDED) && wanted_of[args[1]]/
{
	@wakeup_group[group_name_of[args[1]]] = hist(args[0]->delay);
}

/* Not printed at the end: dwell latency has a table of them. */
END
{
	trunc(@wakeup_group);
}
