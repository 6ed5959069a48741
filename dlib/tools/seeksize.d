#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seeksize.d: how far block devices move between two requests of a process.
 *
 * Topic: Block devices
 * Usage: seeksize.d [--interval TIME]
 * From the end of the request before (of anybody, to the same device) to the beginning of this one,
 * in sectors of 512 bytes; 0 is in order. Requests that give up blocks (discards) move nothing and are left out.
 *
 * Example:
 *   # seeksize.d -c "dd if=/dev/zero of=/tmp/dwell.example bs=64k count=20 oflag=direct"
 *   12314 dd (sectors)
 *              value  ------------- Distribution ------------- count
 *           -4194304 |                                         0
 *           -2097152 |@@                                       1
 *           -1048576 |                                         0
 *            -524288 |                                         0
 *            -262144 |                                         0
 *            -131072 |@@@                                      2
 *   ...
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param interval string "time between reports; else one at the end" 1d

BEGIN
{
	printf("Tracing... Ctrl-C ends.\n");
}

uint64_t next[dev_t];

io:::start
/wanted && !(args[0]->b_flags & B_DISCARD) && next[args[0]->b_edev]/
{
	this->far = (int64_t)(args[0]->b_lblkno - next[args[0]->b_edev]);
	@[group_id, group_name] = quantize(this->far);
}

io:::start
/!(args[0]->b_flags & B_DISCARD)/
{
	next[args[0]->b_edev] = args[0]->b_lblkno + args[0]->b_bcount / 512;
}

tick-$interval
{
	printf("%Y\n", walltimestamp);
}

tick-$interval, END
{
	printa("%d %s (sectors)%@d\n", @);
	trunc(@);
}
