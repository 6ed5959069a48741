#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * funcslower.d: calls of a kernel function that take longer than some microseconds, as they return.
 *
 * Topic: Functions of the kernel
 * Usage: funcslower.d --function NAME [--module NAME] [--us N] [-p PID|-c COMMAND]
 * The name may be a pattern. With -p or -c of this process and its descendants only.
 *
 * TIME     when it returned     US       how long it took     PID, COMMAND  the process
 * RESULT   its value            FUNCTION  what
 *
 * Example:
 *   # funcslower.d --function hrtimer_nanosleep --us 1000 -c "sleep 0.2"
 *   TIME                         US     PID COMMAND                        RESULT FUNCTION
 *   2026 Nov 26 11:40:05     200147     231 sleep                               0 hrtimer_nanosleep
 */
#pragma D option quiet
#pragma D param module string "vmlinux, or a module of the kernel" *
#pragma D param function string "function, a pattern"
#pragma D param us int "microseconds from which on a call is shown" 1000

BEGIN
{
	printf("%-20s %10s %7s %-16s %20s %s\n", "TIME", "US", "PID", "COMMAND", "RESULT", "FUNCTION");
}

fbt:$module:$function:entry
/wanted/
{
	self->depth++;
	self->start[self->depth] = timestamp;
}

fbt:$module:$function:return
/self->depth && timestamp - self->start[self->depth] >= $us * 1000/
{
	printf("%-20Y %10d %7d %-16s %20d %s\n", walltimestamp,
	    (timestamp - self->start[self->depth]) / 1000, pid, execname, arg1, probefunc);
}

fbt:$module:$function:return
/self->depth/
{
	self->start[self->depth] = 0;
	self->depth--;
}
