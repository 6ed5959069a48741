#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runqlat.d: how long threads that could run wait for a CPU.
 *
 * Topic: Scheduler
 * Usage: runqlat.d [-p PID|-c COMMAND] [--interval TIME]
 * With -p or -c threads of this process and its descendants, else all. From the moment that a thread
 * is woken or created until it runs; preempted threads that wait are not among it. Microseconds.
 *
 * Example:
 *   # runqlat.d -c "stress-ng -q --switch 2 -t 1"
 *   wait for a CPU (us)
 *              value  ------------- Distribution ------------- count
 *                  0 |                                         0
 *                  1 |@@@                                      20226
 *                  2 |@@@@@@@@@@@@@@@@@@@@@@@@@                147892
 *                  4 |@@@@@@                                   34363
 *                  8 |@@@@@                                    29209
 *                 16 |                                         612
 *                 32 |                                         307
 *                 64 |                                         40
 *                128 |                                         19
 *                256 |                                         16
 *                512 |                                         32
 *               1024 |                                         40
 *               2048 |                                         70
 *               4096 |                                         12
 *               8192 |                                         0
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param interval string "time between reports; else one at the end" 1d

BEGIN
{
	printf("Tracing... Ctrl-C ends.\n");
}

sched:::wakeup
{
	woken[args[0]->pr_lwpid] = timestamp;
}

sched:::on-cpu
/woken[tid]/
{
	this->waited = timestamp - woken[tid];
	woken[tid] = 0;
}

sched:::on-cpu
/this->waited && wanted/
{
	@[group_prefix] = quantize(this->waited / 1000);
}

tick-$interval
{
	printf("%Y\n", walltimestamp);
}

tick-$interval, END
{
	printa("%swait for a CPU (us)%@d\n", @);
	trunc(@);
}
