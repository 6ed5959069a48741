#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cswstat.d: changes of threads on each CPU, voluntary or not.
 *
 * Topic: Scheduler
 * Usage: cswstat.d [--interval TIME]
 *
 * CPU      its number          SLEEPS   the thread had to wait for something
 * PREEMPTS another thread was to run    AVG_US  microseconds that a thread kept the CPU
 *
 * Example:
 *   # cswstat.d --interval 1s -c "stress-ng -q --switch 2 -t 2"
 *   2026 Nov 21 17:22:15
 *     CPU     SLEEPS   PREEMPTS     AVG_US
 *   ...
 *       1     201902     117425          2
 *       0      94284      68905          5
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param interval string "time between reports" 1s

sched:::on-cpu
{
	since[cpu] = timestamp;
}

sched:::off-cpu
/pid && wanted && since[cpu]/
{
	@run[cpu] = avg((timestamp - since[cpu]) / 1000);
}

sched:::sleep /wanted/ { @sleeps[cpu] = count(); }
sched:::preempt /wanted/ { @preempts[cpu] = count(); }

tick-$interval, END
{
	printf("%Y\n%5s %10s %10s %10s\n", walltimestamp, "CPU", "SLEEPS", "PREEMPTS", "AVG_US");
	printa("%5d %@10d %@10d %@10d\n", @sleeps, @preempts, @run);
	trunc(@sleeps);
	trunc(@preempts);
	trunc(@run);
}
