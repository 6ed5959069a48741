#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * iotop.d: processes that send most bytes to and from block devices.
 *
 * Topic: Block devices
 * Usage: iotop.d [--interval TIME] [--top N]
 *
 * PID, COMMAND   the process (kernel threads write what was left in the page cache)
 * DEVICE   the device     D  R read, W write, D discard          KB  how much, in requests that began
 *
 * Example:
 *   # iotop.d --interval 1s -c "dd if=/dev/zero of=/tmp/dwell.example bs=64k count=200 oflag=direct"
 *   2026 Nov 21 17:22:20
 *       PID COMMAND          DEVICE   D           KB
 *     11994 dd               vda      W        13056
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param interval string "time between reports" 5s
#pragma D param top int "lines shown" 20

io:::start
/wanted/
{
	@[group_id, group_name, args[1]->dev_statname, io_letter[args[0]->b_flags]] =
	    sum(args[0]->b_bcount);
}

tick-$interval, END
{
	trunc(@, $top);
	normalize(@, 1024);
	printf("%Y\n%7s %-16s %-8s %1s %12s\n", walltimestamp, group_id_head, group_head, "DEVICE", "D", "KB");
	printa("%7d %-16s %-8s %1s %@12d\n", @);
	trunc(@);
}
