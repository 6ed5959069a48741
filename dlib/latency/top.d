#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top.d: for dwell top, beside the trackers: the threads on the CPUs, and how many could run there.
 *
 * Looks 99 times a second at each CPU that does something.
 */
#pragma D option quiet
#pragma D option noself

profile-99hz
/pid && wanted/
{
	@oncpu[pid, execname] = count();
}

profile-99hz
/pid/
{
	@runnable[cpu] = avg(curthread->se.cfs_rq->rq->nr_running);
}
