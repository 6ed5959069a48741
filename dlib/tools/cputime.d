#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cputime.d: CPU time of each process, exactly.
 *
 * Topic: CPU
 * Usage: cputime.d [--interval TIME] [--top N]
 * Measured at each change of threads, not by samples; PID 0 is idle time of all CPUs.
 *
 * PID, COMMAND  the process        MS  milliseconds on a CPU; threads that stay on it count when they leave
 *
 * Example:
 *   # cputime.d --interval 1s --top 5 -c "stress-ng -q --cpu 1 -t 1"
 *   2026 Nov 21 17:22:13
 *       PID COMMAND                  MS
 *   ...
 *     11873 cc1                     382
 *     11877 cc1                     327
 *     11868 cc1                     242
 *     11833 cc1                     113
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param interval string "time between reports" 5s
#pragma D param top int "processes shown" 20

sched:::on-cpu
{
	since[cpu] = timestamp;
}

sched:::off-cpu
/wanted && since[cpu]/
{
	@[group_id, group_name] = sum(timestamp - since[cpu]);
}

tick-$interval, END
{
	trunc(@, $top);
	normalize(@, 1000000);
	printf("%Y\n%7s %-16s %10s\n", walltimestamp, group_id_head, group_head, "MS");
	printa("%7d %-16s %@10d\n", @);
	trunc(@);
}
