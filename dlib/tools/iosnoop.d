#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * iosnoop.d: requests to block devices as they are completed.
 *
 * Topic: Block devices
 * Usage: iosnoop.d
 *
 * TIME     when               PID, COMMAND   the sender to the device (a kernel thread if it
 * DEVICE   the device                        was written to the page cache before)
 * D        R read, W write, D discard   SECTOR  where it begins, in 512 bytes
 * BYTES    its size           US      microseconds until it was completed
 *
 * Example:
 *   # iosnoop.d -c "dd if=/dev/zero of=/tmp/dwell.example bs=64k count=4 oflag=direct"
 *   TIME                     PID COMMAND          DEVICE   D       SECTOR     BYTES        US
 *   2026 Nov 21 17:22:20   11991 dd               vda      W    357597184  16777216      3385
 *   2026 Nov 21 17:22:20   11991 dd               vda      W    357793792   8388608      1723
 *   2026 Nov 21 17:22:20   11991 dd               vda      W    357662720   8388608      1960
 *   2026 Nov 21 17:22:20   11991 dd               vda      W    360366368     65536       236
 *   2026 Nov 21 17:22:20   11991 dd               vda      W    357568640     65536       129
 *   ...
 */
#pragma D option quiet

BEGIN
{
	printf("%-20s %7s %-16s %-8s %1s %12s %9s %9s\n", "TIME", "PID", "COMMAND", "DEVICE", "D",
	    "SECTOR", "BYTES", "US");
}

io:::start
/wanted/
{
	start[arg0] = timestamp;
	who[arg0] = pid;
	name[arg0] = execname;
	bytes[arg0] = args[0]->b_bcount;
}

io:::done
/start[arg0]/
{
	printf("%-20Y %7d %-16s %-8s %s %12d %9d %9d\n", walltimestamp, who[arg0], name[arg0],
	    args[1]->dev_statname, io_letter[args[0]->b_flags], args[0]->b_lblkno,
	    bytes[arg0], (timestamp - start[arg0]) / 1000);
	start[arg0] = 0;
	who[arg0] = 0;
	name[arg0] = 0;
	bytes[arg0] = 0;
}
