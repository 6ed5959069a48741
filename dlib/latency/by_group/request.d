/* SPDX-License-Identifier: Apache-2.0 */
/* by_group/request.d: @request_group: delays of the tracker request by the group of the thread
 * that waited. With request.d, for `dwell latency --by`, and where only some threads are asked for. */
latency:request::all
/!(args[0]->how & HOW_NOT_ENDED) && wanted_of[curthread]/
{
	@request_group[group_name_of[curthread]] = hist(args[0]->delay);
}

/* Not printed at the end: dwell latency has a table of them. */
END
{
	trunc(@request_group);
}
