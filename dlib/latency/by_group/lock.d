/* SPDX-License-Identifier: Apache-2.0 */
/* by_group/lock.d: @lock_group: delays of the tracker lock by the group of the thread
 * that waited. With lock.d, for `dwell latency --by`, and where only some threads are asked for. */
latency:lock::all
/!(args[0]->how & HOW_NOT_ENDED) && wanted_of[curthread]/
{
	@lock_group[group_name_of[curthread]] = hist(args[0]->delay);
}

/* Not printed at the end: dwell latency has a table of them. */
END
{
	trunc(@lock_group);
}
