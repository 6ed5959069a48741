/* SPDX-License-Identifier: Apache-2.0 */
/* by_group/filelock.d: @filelock_group: delays of the tracker filelock by the group of the thread
 * that waited. With filelock.d, for `dwell latency --by`, and where only some threads are asked for. */
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
