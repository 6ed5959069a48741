/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up the delays of the tracker filelock by the group of the thread that waited, as @filelock_group. `dwell
 * latency` runs it with filelock.d for --by and for filters. */
latency:filelock::all
/!(args[0]->how & HOW_NOT_ENDED) && wanted_of[curthread]/
{
	@filelock_group[group_name_of[curthread]] = hist(args[0]->delay);
}

/* Not printed at the end: dwell latency has a table of them. */
END
{
	trunc(@filelock_group);
}
