#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top.d: beside the trackers in dwell top: who is on the CPUs, and how many threads could run there.
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
