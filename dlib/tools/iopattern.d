#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * iopattern.d: whether block devices are used in order or at random.
 *
 * Topic: Block devices
 * Usage: iopattern.d [--interval TIME]
 *
 * DEVICE  the device          COUNT  requests
 * %RANDOM of them, that do not begin where the one before ended
 * AVG_BYTES, MAX_BYTES  of a request      READ_KB, WRITE_KB  transferred: discards are requests, but
 *                           nothing is transferred
 *
 * Example:
 *   # iopattern.d --interval 1s -c "dd if=/dev/zero of=/tmp/dwell.example bs=64k count=200 oflag=direct"
 *   2026 Nov 21 17:22:20
 *   DEVICE        COUNT  %RANDOM AVG_BYTES MAX_BYTES    READ_KB   WRITE_KB
 *   vda             203        4     65576     73728          0      13000
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param interval string "time between reports" 5s

uint64_t next[dev_t];

io:::start
{
	this->random = next[args[0]->b_edev] != args[0]->b_lblkno;
	next[args[0]->b_edev] = args[0]->b_lblkno + args[0]->b_bcount / 512;
	@count[args[1]->dev_statname] = count();
	@random[args[1]->dev_statname] = avg(this->random * 100);
	@avg[args[1]->dev_statname] = avg(args[0]->b_bcount);
	@max[args[1]->dev_statname] = max(args[0]->b_bcount);
	@read[args[1]->dev_statname] = sum(args[0]->b_flags & B_READ ? args[0]->b_bcount : 0);
	@write[args[1]->dev_statname] = sum(args[0]->b_flags & B_WRITE ? args[0]->b_bcount : 0);
}

tick-$interval, END
{
	normalize(@read, 1024);
	normalize(@write, 1024);
	printf("%Y\n%-10s %8s %8s %9s %9s %10s %10s\n", walltimestamp, "DEVICE", "COUNT", "%RANDOM", "AVG_BYTES",
	    "MAX_BYTES", "READ_KB", "WRITE_KB");
	printa("%-10s %@8d %@8d %@9d %@9d %@10d %@10d\n", @count, @random, @avg, @max, @read, @write);
	trunc(@count);
	trunc(@random);
	trunc(@avg);
	trunc(@max);
	trunc(@read);
	trunc(@write);
}
