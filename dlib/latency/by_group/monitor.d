/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up the delays of the trackers monitor, monheld by the group of the thread that waited, as @monitor_group, @monheld_group.
 * `dwell latency` runs it with monitor.d for --by and for filters. */
latency:monitor::all
/!(args[0]->how & HOW_NOT_ENDED) && wanted_of[curthread]/
{
	@monitor_group[group_name_of[curthread]] = hist(args[0]->delay);
}

latency:monheld::all
/!(args[0]->how & HOW_NOT_ENDED) && wanted_of[curthread]/
{
	@monheld_group[group_name_of[curthread]] = hist(args[0]->delay);
}

/* Not printed at the end: dwell latency has a table of them. */
END
{
	trunc(@monitor_group);
	trunc(@monheld_group);
}
