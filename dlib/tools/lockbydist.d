#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lockbydist.d: how long threads waited for locks of the kernel, by kind of lock.
 *
 * Usage: lockbydist.d
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

BEGIN
{
	printf("Tracing... Ctrl-C ends.\n");
}

lockstat:::
/wanted/
{
	@[probename] = quantize(arg1 / 1000);
}

END
{
	printa("%s (us)%@d\n", @);
}
