/* SPDX-License-Identifier: Apache-2.0 */
/* by_group/throttle.d: @throttle_group: delays of the tracker throttle by the group of the thread
 * that waited. With throttle.d, for `dwell latency --by`, and where only some threads are asked for. */
latency:throttle::all
/!(args[0]->how & HOW_NOT_ENDED) && wanted_of[args[1]]/
{
	@throttle_group[group_name_of[args[1]]] = hist(args[0]->delay);
}

/* Not printed at the end: dwell latency has a table of them. */
END
{
	trunc(@throttle_group);
}
