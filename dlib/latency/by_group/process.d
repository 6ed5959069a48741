/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up the delays of the trackers fork, exec by the group of the thread that is new, as @fork_group, @exec_group.
 * `dwell latency` runs it with process.d for --by and for filters. */
latency:fork::all
/!(args[0]->how & HOW_NOT_ENDED) && wanted_of[args[1]]/
{
	@fork_group[group_name_of[args[1]]] = hist(args[0]->delay);
}

latency:exec::all
/!(args[0]->how & HOW_NOT_ENDED) && wanted_of[curthread]/
{
	@exec_group[group_name_of[curthread]] = hist(args[0]->delay);
}

/* Not printed at the end: dwell latency has a table of them. */
END
{
	trunc(@fork_group);
	trunc(@exec_group);
}
