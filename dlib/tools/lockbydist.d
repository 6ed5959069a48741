#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lockbydist.d: how long threads waited for locks of the kernel, by kind of lock.
 *
 * Topic: Locks
 * Usage: lockbydist.d [--interval TIME]
 * Only locks that were not free: others leave no trace. The values are microseconds.
 *
 * Example:
 *   # lockbydist.d -c "stress-ng -q --mmap 2 -t 1"
 *   rw-block (us)
 *              value  ------------- Distribution ------------- count
 *                 -1 |                                         0
 *                  0 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 2
 *                  1 |                                         0
 *
 *   spin-spin (us)
 *              value  ------------- Distribution ------------- count
 *                 -1 |                                         0
 *                  0 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@         2405
 *   ...
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param interval string "time between reports; else one at the end" 1d

BEGIN
{
	printf("Tracing... Ctrl-C ends.\n");
}

lockstat:::
/wanted/
{
	@[group_prefix, probename] = quantize(arg1 / 1000);
}

tick-$interval
{
	printf("%Y\n", walltimestamp);
}

tick-$interval, END
{
	printa("%s%s (us)%@d\n", @);
	trunc(@);
}
