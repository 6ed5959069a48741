/* SPDX-License-Identifier: Apache-2.0 */
/* by_group/syscall.d: @syscall_group: delays of the tracker syscall by the group of the thread
 * that waited. With syscall.d, for `dwell latency --by`, and where only some threads are asked for. */
latency:syscall::all
/!(args[0]->how & HOW_NOT_ENDED) && wanted_of[curthread]/
{
	@syscall_group[group_name_of[curthread]] = hist(args[0]->delay);
}

/* Not printed at the end: dwell latency has a table of them. */
END
{
	trunc(@syscall_group);
}
