/* SPDX-License-Identifier: Apache-2.0 */
/* by_group/netrx.d: @netrx_group: delays of the tracker netrx by the group of the thread
 * that reads. With netrx.d, for `dwell latency --by`, and where only some threads are asked for. */
latency:netrx::all
/!(args[0]->how & HOW_NOT_ENDED) && wanted_of[curthread]/
{
	@netrx_group[group_name_of[curthread]] = hist(args[0]->delay);
}

/* Not printed at the end: dwell latency has a table of them. */
END
{
	trunc(@netrx_group);
}
