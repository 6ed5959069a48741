#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * migrations.d: threads that are moved from one CPU to another.
 *
 * Topic: Scheduler
 * Usage: migrations.d [--interval TIME] [--top N]
 *
 * PID, COMMAND  the thread        FROM, TO  the CPUs        COUNT  how often
 *
 * Example:
 *   # migrations.d --top 4 -c "stress-ng -q --switch 4 -t 1"
 *   2026 Nov 21 17:22:23
 *       PID COMMAND           FROM    TO     COUNT
 *     12040 stress-ng-switc      1     0         5
 *     12040 stress-ng-switc      0     1         5
 *     12039 stress-ng-switc      1     0         5
 *     12039 stress-ng-switc      0     1         5
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param interval string "time between reports" 10s
#pragma D param top int "lines shown" 20

sdt:::sched_migrate_task
{
	@[args[0]->tgid, stringof(args[0]->comm), task_cpu[args[0]], args[1]] = count();
}

tick-$interval, END
{
	trunc(@, $top);
	printf("%Y\n%7s %-16s %5s %5s %9s\n", walltimestamp, "PID", "COMMAND", "FROM", "TO", "COUNT");
	printa("%7d %-16s %5d %5d %@9d\n", @);
	trunc(@);
}
