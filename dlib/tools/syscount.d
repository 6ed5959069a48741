#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * syscount.d: system calls by name.
 *
 * Topic: System calls
 * Usage: syscount.d [-p PID|-c COMMAND] [--interval TIME] [--top N]
 * With -p or -c only those of this process and its descendants.
 *
 * SYSCALL  name      COUNT  how often; errinfo.d tells which failed
 *
 * Example:
 *   # syscount.d --top 5 -c "find /etc/ssl -name x"
 *   2026 Nov 21 17:04:35
 *   SYSCALL                         COUNT
 *   openat                             42
 *   close                              38
 *   mmap                               34
 *   newfstatat                         33
 *   fcntl                              18
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param interval string "time between reports" 10s
#pragma D param top int "system calls shown" 20

syscall:::entry
/wanted/
{
	@[probefunc] = count();
}

tick-$interval, END
{
	trunc(@, $top);
	printf("%Y\n%-24s %12s\n", walltimestamp, "SYSCALL", "COUNT");
	printa("%-24s %@12d\n", @);
	trunc(@);
}
