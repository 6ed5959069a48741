/* SPDX-License-Identifier: Apache-2.0 */
/* by_group/fsync.d: @fsync_group: delays of the tracker fsync by the group of the thread
 * that waited. With fsync.d, for `dwell latency --by`, and where only some threads are asked for. */
latency:fsync::all
/!(args[0]->how & HOW_NOT_ENDED) && wanted_of[curthread]/
{
	@fsync_group[group_name_of[curthread]] = hist(args[0]->delay);
}

/* Not printed at the end: dwell latency has a table of them. */
END
{
	trunc(@fsync_group);
}
