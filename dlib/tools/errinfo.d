#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * errinfo.d: system calls that fail, by program and error.
 *
 * Usage: errinfo.d [-p PID|-c COMMAND]
 * With -p or -c only those of this process and its descendants.
 *
 * COMMAND, SYSCALL   who called what      ERROR  its name      COUNT  how often
 *
 * Example:
 *   # errinfo.d -c "cat /nonexistent /root"
 *   COMMAND          SYSCALL              ERROR               COUNT
 *   cat              access               ENOENT                  1
 *   cat              read                 EISDIR                  1
 *   cat              openat               ENOENT                 17
 */
#pragma D option quiet

BEGIN
{
	printf("Tracing... Ctrl-C ends.\n");
}

syscall:::return
/errno && wanted/
{
	@[execname, probefunc, errno_name[errno]] = count();
}

END
{
	printf("%-16s %-20s %-16s %8s\n", "COMMAND", "SYSCALL", "ERROR", "COUNT");
	printa("%-16s %-20s %-16s %@8d\n", @);
}
