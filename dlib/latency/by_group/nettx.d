/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up the delays of the tracker nettx by the group of the thread that sends, as @nettx_group. `dwell latency`
 * runs it with nettx.d for --by and for filters. */
string nettx_group[uintptr_t];
int nettx_wanted[uintptr_t];

sdt:net::net_dev_queue
/wanted_of[curthread]/
{
	nettx_wanted[(uintptr_t)args[0]] = 1;
	nettx_group[(uintptr_t)args[0]] = group_name_of[curthread];
}

latency:nettx::all
/!(args[0]->how & HOW_NOT_ENDED) && nettx_wanted[(uintptr_t)args[1]]/
{
	@nettx_group[nettx_group[(uintptr_t)args[1]]] = hist(args[0]->delay);
}

latency:nettx::all
/nettx_wanted[(uintptr_t)args[1]]/
{
	nettx_wanted[(uintptr_t)args[1]] = 0;
	nettx_group[(uintptr_t)args[1]] = 0;
}

/* Not printed at the end: dwell latency has a table of them. */
END
{
	trunc(@nettx_group);
}
