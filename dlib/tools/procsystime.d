#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * procsystime.d: how much time a process spends in which system calls.
 *
 * Topic: System calls
 * Usage: procsystime.d [-p PID|-c COMMAND] [--interval TIME]
 * With -p or -c of this process and its descendants, else of all.
 *
 * SYSCALL  name      COUNT  how often
 * TIME_US  microseconds from entry to return, waiting among them
 *
 * Example:
 *   # procsystime.d -c "dd if=/dev/zero of=/tmp/dwell.example bs=1M count=8"
 *   SYSCALL                         COUNT      TIME_US
 *   write                              11        47410
 *   openat                             35         1037
 *   read                               11          944
 *   close                              22          550
 *   mmap                               22          183
 *   brk                                 3           83
 *   mprotect                            3           47
 *   ...
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D option aggsortpos=1
#pragma D param interval string "time between reports; else one at the end" 1d

BEGIN
{
	printf("Tracing... Ctrl-C ends.\n");
}

syscall:::entry
/wanted/
{
	self->start = timestamp;
}

syscall:::return
/self->start/
{
	@count[probefunc] = count();
	@time[probefunc] = sum(timestamp - self->start);
	self->start = 0;
}

tick-$interval
{
	printf("%Y\n", walltimestamp);
}

tick-$interval, END
{
	normalize(@time, 1000);
	printf("%-24s %12s %12s\n", "SYSCALL", "COUNT", "TIME_US");
	printa("%-24s %@12d %@12d\n", @count, @time);
	trunc(@count);
	trunc(@time);
}
