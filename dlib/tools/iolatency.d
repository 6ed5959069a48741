#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * iolatency.d: how long requests to block devices take, by device and direction.
 *
 * Topic: Block devices
 * Usage: iolatency.d [--interval TIME]
 * From the moment that the request is sent until it is completed. The values are microseconds.
 *
 * Example:
 *   # iolatency.d -c "dd if=/dev/zero of=/tmp/dwell.example bs=4k count=50 oflag=direct"
 *   vda write (us)
 *              value  ------------- Distribution ------------- count
 *                 16 |                                         0
 *                 32 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@     48
 *                 64 |@@@                                      4
 *                128 |@                                        1
 *                256 |                                         0
 *                512 |@                                        1
 *               1024 |                                         0
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param interval string "time between reports; else one at the end" 1d

BEGIN
{
	printf("Tracing... Ctrl-C ends.\n");
}

io:::start
/wanted/
{
	start[arg0] = timestamp;
}

io:::done
/start[arg0]/
{
	@[args[1]->dev_statname, io_word[args[0]->b_flags]] =
	    quantize((timestamp - start[arg0]) / 1000);
	start[arg0] = 0;
}

tick-$interval
{
	printf("%Y\n", walltimestamp);
}

tick-$interval, END
{
	printa("%s %s (us)%@d\n", @);
	trunc(@);
}
