#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * priorities.d: priorities of the threads that get a CPU.
 *
 * Topic: Scheduler
 * Usage: priorities.d [--interval TIME]
 * The kernel's numbers, lower is more urgent: 0 to 99 real-time, 100 to 139 nice -20 to 19 (120:
 * nice 0). Counted each time a thread begins to run; the idle threads are left out.
 *
 * Example:
 *   # priorities.d -c "nice -n 5 stress-ng -q --switch 1 -t 1"
 *   migration/0 (priority)
 *              value  ------------- Distribution ------------- count
 *                 -1 |                                         0
 *                  0 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1
 *                  1 |                                         0
 *
 *   migration/1 (priority)
 *              value  ------------- Distribution ------------- count
 *   ...
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param interval string "time between reports; else one at the end" 1d

BEGIN
{
	printf("Tracing... Ctrl-C ends.\n");
}

sched:::on-cpu
/pid && wanted/
{
	@[group_name] = lquantize(curlwpsinfo->pr_pri, -1, 140, 1);
}

tick-$interval
{
	printf("%Y\n", walltimestamp);
}

tick-$interval, END
{
	printa("%s (priority)%@d\n", @);
	trunc(@);
}
