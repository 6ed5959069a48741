#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * iopending.d: requests that a block device has at the same time.
 *
 * Topic: Block devices
 * Usage: iopending.d [--interval TIME]
 * Counted each time one begins, itself among them. Requests that began before the tool are not counted.
 *
 * Example:
 *   # iopending.d -c "dd if=/dev/zero of=/tmp/dwell.example bs=16M count=2 oflag=direct"
 *   vda (requests)
 *              value  ------------- Distribution ------------- count
 *                < 1 |                                         0
 *                  1 |@@@@@@@@@                                9
 *                  2 |@@                                       2
 *                  3 |@@                                       2
 *                  4 |@@                                       2
 *                  5 |@@                                       2
 *                  6 |@@                                       2
 *                  7 |@@                                       2
 *                  8 |@@                                       2
 *                  9 |@@                                       2
 *   ...
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param interval string "time between reports; else one at the end" 1d

BEGIN
{
	printf("Tracing... Ctrl-C ends.\n");
}

io:::start
{
	begun[arg0] = 1;
	@begun[args[1]->dev_statname] = count();
	pending[args[0]->b_edev]++;
	@[args[1]->dev_statname] = lquantize(pending[args[0]->b_edev], 1, 64, 1);
}

io:::done
/begun[arg0] && pending[args[0]->b_edev] > 0/
{
	begun[arg0] = 0;
	pending[args[0]->b_edev]--;
}

tick-$interval
{
	printf("%Y\n", walltimestamp);
}

tick-$interval, END
{
	printa("%s (requests)%@d\n", @);
	printa("%s: %@d requests\n", @begun);
	trunc(@);
	trunc(@begun);
}
