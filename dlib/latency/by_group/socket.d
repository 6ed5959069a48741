/* SPDX-License-Identifier: Apache-2.0 */
/* by_group/socket.d: @socket_group, @accept_group: delays of the trackers socket, accept by the group of the thread
 * that waited. With socket.d, for `dwell latency --by`, and where only some threads are asked for. */
latency:socket::all
/!(args[0]->how & HOW_NOT_ENDED) && wanted_of[curthread]/
{
	@socket_group[group_name_of[curthread]] = hist(args[0]->delay);
}

latency:accept::all
/!(args[0]->how & HOW_NOT_ENDED) && wanted_of[curthread]/
{
	@accept_group[group_name_of[curthread]] = hist(args[0]->delay);
}

/* Not printed at the end: dwell latency has a table of them. */
END
{
	trunc(@socket_group);
	trunc(@accept_group);
}
