#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bitesize.d: sizes of requests to block devices by process.
 *
 * Topic: Block devices
 * Usage: bitesize.d [--interval TIME]
 * Who sends them; kernel threads write what was left in the page cache. The values are bytes. Requests that
 * give up blocks (discards) are not among them.
 *
 * Example:
 *   # bitesize.d -c "dd if=/dev/zero of=/tmp/dwell.example bs=64k count=20 oflag=direct"
 *   11860 dd (bytes)
 *              value  ------------- Distribution ------------- count
 *               2048 |                                         0
 *               4096 |@@@@                                     3
 *               8192 |@@@@@                                    4
 *              16384 |                                         0
 *              32768 |                                         0
 *              65536 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@             22
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
/wanted && !(args[0]->b_flags & B_DISCARD)/
{
	@[group_id, group_name] = quantize(args[0]->b_bcount);
}

tick-$interval
{
	printf("%Y\n", walltimestamp);
}

tick-$interval, END
{
	printa("%d %s (bytes)%@d\n", @);
	trunc(@);
}
