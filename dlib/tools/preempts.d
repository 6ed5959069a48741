#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preempts.d: threads that are preempted, and the threads that preempt them.
 *
 * Topic: Scheduler
 * Usage: preempts.d [--interval TIME] [--top N]
 *
 * LEAVES  the thread that could have gone on      RUNS  the thread that runs instead
 * COUNT   how often
 *
 * Example:
 *   # preempts.d --top 4 -c "stress-ng -q --cpu 4 -t 1"
 *   2026 Nov 21 17:22:27
 *       PID LEAVES               PID RUNS                COUNT
 *     12099 stress-ng-cpu      12087 cc1                    47
 *     12091 cc1                12102 stress-ng-cpu          43
 *     12100 stress-ng-cpu      12087 cc1                    40
 *     12091 cc1                12101 stress-ng-cpu          40
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param interval string "time between reports" 10s
#pragma D param top int "lines shown" 20

sched:::preempt
/wanted/
{
	self->preempted = 1;
}

sched:::off-cpu
/self->preempted/
{
	@[group_id, group_name, args[1]->pr_pid, args[1]->pr_fname] = count();
	self->preempted = 0;
}

tick-$interval, END
{
	trunc(@, $top);
	printf("%Y\n%7s %-16s %7s %-16s %8s\n", walltimestamp, group_id_head, "LEAVES", "PID", "RUNS", "COUNT");
	printa("%7d %-16s %7d %-16s %@8d\n", @);
	trunc(@);
}
