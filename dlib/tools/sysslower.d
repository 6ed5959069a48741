#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sysslower.d: system calls that take longer than some milliseconds, as they return.
 *
 * Topic: System calls
 * Usage: sysslower.d [-p PID|-c COMMAND] [--ms N]
 * With -p or -c only those of this process and its descendants. Calls whose purpose is to wait
 * (poll, futex, nanosleep ...) are shown like all others.
 *
 * TIME     when it returned     MS     how long it took     CPU_MS  of it on a CPU
 * PID, COMMAND   the process            SYSCALL  what               RESULT  its result, or the error
 *
 * Example:
 *   # sysslower.d --ms 50 -c "sleep 0.2"
 *   TIME                       MS   CPU_MS     PID COMMAND          SYSCALL              RESULT
 *   2026 Nov 21 17:04:35      204        0    6463 sleep            clock_nanosleep      0
 */
#pragma D option quiet
#pragma D param ms int "milliseconds from which on a call is shown" 10

BEGIN
{
	printf("%-20s %8s %8s %7s %-16s %-20s %s\n", "TIME", "MS", "CPU_MS", "PID", "COMMAND",
	    "SYSCALL", "RESULT");
}

syscall:::entry
/wanted/
{
	self->start = timestamp;
	self->cpu = vtimestamp;
}

syscall:::return
/self->start && timestamp - self->start >= $ms * 1000000/
{
	printf("%-20Y %8d %8d %7d %-16s %-20s %s\n", walltimestamp,
	    (timestamp - self->start) / 1000000, (vtimestamp - self->cpu) / 1000000, pid, execname,
	    probefunc, errno ? errno_name[errno] : lltostr(arg0));
}

syscall:::return
/self->start/
{
	self->start = 0;
	self->cpu = 0;
}
