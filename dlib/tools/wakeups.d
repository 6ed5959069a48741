#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wakeups.d: threads and the threads that wake them up.
 *
 * Topic: Scheduler
 * Usage: wakeups.d [--interval TIME] [--top N]
 *
 * FROM   the thread that was running, which may only have been interrupted (PID 0: an idle CPU)
 * TO     the thread that was woken          COUNT  how often
 *
 * Example:
 *   # wakeups.d --top 4 -c "stress-ng -q --pipe 1 -t 1"
 *   2026 Nov 21 17:22:48
 *       PID FROM                 PID TO                   COUNT
 *   ...
 *     12586 stress-ng-pipe     12585 stress-ng-pipe       11631
 *     12598 git                19926 kworker/0:2H           981
 *     12477 qemu-system-x86    12477 qemu-system-x86        774
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param interval string "time between reports" 10s
#pragma D param top int "lines shown" 20

sched:::wakeup
{
	@[group_id, group_name, args[1]->pr_pid, stringof(((struct task_struct *)args[0]->pr_addr)->comm)] =
	    count();
}

tick-$interval, END
{
	trunc(@, $top);
	printf("%Y\n%7s %-16s %7s %-16s %9s\n", walltimestamp, group_id_head, "FROM", "PID", "TO", "COUNT");
	printa("%7d %-16s %7d %-16s %@9d\n", @);
	trunc(@);
}
