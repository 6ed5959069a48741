/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up the delays of the trackers socket, accept by the group of the thread that waited, as @socket_group,
 * @accept_group. `dwell latency` runs it with socket.d for --by and for filters. */
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
