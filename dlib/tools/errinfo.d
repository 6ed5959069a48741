#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * errinfo.d: system calls that fail, by program and error.
 *
 * Topic: System calls
 * Usage: errinfo.d [-p PID|-c COMMAND] [--interval TIME]
 * With -p or -c only those of this process and its descendants.
 *
 * COMMAND, SYSCALL   the call, and the program      ERROR  its name      COUNT  how often
 *
 * Example:
 *   # errinfo.d -c "cat /nonexistent /root"
 *   COMMAND          SYSCALL              ERROR               COUNT
 *   cat              openat               ENOENT                 17
 *   cat              read                 EISDIR                  1
 *   cat              access               ENOENT                  1
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param interval string "time between reports; else one at the end" 1d

BEGIN
{
	printf("Tracing... Ctrl-C ends.\n");
}

syscall:::return
/errno && wanted/
{
	@[group_name, probefunc, errno_name[errno]] = count();
}

tick-$interval
{
	printf("%Y\n", walltimestamp);
}

tick-$interval, END
{
	printf("%-16s %-20s %-16s %8s\n", group_head, "SYSCALL", "ERROR", "COUNT");
	printa("%-16s %-20s %-16s %@8d\n", @);
	trunc(@);
}
