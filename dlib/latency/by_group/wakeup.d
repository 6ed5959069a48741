/* SPDX-License-Identifier: Apache-2.0 */
/* by_group/wakeup.d: @wakeup_group: delays of the tracker wakeup by the group of the thread
 * that waited. With wakeup.d, for `dwell latency --by`, and where only some threads are asked for. */
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
