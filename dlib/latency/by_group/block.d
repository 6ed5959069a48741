/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up the delays of the tracker block by the group of the thread that asked, as @block_group. `dwell latency`
 * runs it with block.d for --by and for filters. */
string block_group[uintptr_t];
int block_wanted[uintptr_t];

sdt:block::block_rq_issue
/wanted_of[curthread]/
{
	block_wanted[(uintptr_t)args[0]] = 1;
	block_group[(uintptr_t)args[0]] = group_name_of[curthread];
}

latency:block::all
/!(args[0]->how & HOW_NOT_ENDED) && block_wanted[(uintptr_t)args[1]]/
{
	@block_group[block_group[(uintptr_t)args[1]]] = hist(args[0]->delay);
}

latency:block::all
/block_wanted[(uintptr_t)args[1]]/
{
	block_wanted[(uintptr_t)args[1]] = 0;
	block_group[(uintptr_t)args[1]] = 0;
}

/* Not printed at the end: dwell latency has a table of them. */
END
{
	trunc(@block_group);
}
