#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runqlen.d: threads that are on a CPU or wait for it, by CPU.
 *
 * Topic: Scheduler
 * Usage: runqlen.d [--interval TIME]
 * Looks some hundred times a second at each CPU that does something; the values count the thread
 * that runs among them: 1 is a CPU that nobody waits for, 0 an idle one.
 *
 * Example:
 *   # runqlen.d -c "stress-ng -q --cpu 4 -t 1"
 *   CPU 1 (threads)
 *              value  ------------- Distribution ------------- count
 *                  0 |                                         0
 *                  1 |@@                                       10
 *                  2 |@@@@@@@@@                                54
 *                  3 |@@@@@@@@@@@@                             70
 *                  4 |@@@@@@@@@@                               56
 *                  5 |@@@@                                     24
 *                  6 |@                                        8
 *                  7 |@                                        6
 *   ...
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param interval string "time between reports; else one at the end" 1d

BEGIN
{
	printf("Tracing... Ctrl-C ends.\n");
}

profile-199
{
	@[cpu] = lquantize(curthread->se.cfs_rq->rq->nr_running, 0, 100, 1);
}

tick-$interval
{
	printf("%Y\n", walltimestamp);
}

tick-$interval, END
{
	printa("CPU %d (threads)%@d\n", @);
	trunc(@);
}
