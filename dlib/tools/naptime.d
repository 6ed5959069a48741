#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * naptime.d: sleeps that programs ask for: nanosleep(2), clock_nanosleep(2).
 *
 * Topic: Interrupts and kernel work
 * Usage: naptime.d [-p PID|-c COMMAND]
 * With -p or -c only of this process and its descendants. Sleeps until an absolute time (TIMER_ABSTIME) are left out.
 *
 * TIME      when it began    PPID  the parent       PID, COMMAND  the process
 * ASKED_MS  for how long     TOOK_MS  milliseconds until it went on
 *
 * Example:
 *   # naptime.d -c "sh naps.sh"
 *   TIME                    PPID     PID COMMAND           ASKED_MS    TOOK_MS
 *   2026 Nov 28 00:31:07   10612   10613 sleep                  250        250
 *   2026 Nov 28 00:31:08   10612   10614 sleep                 1000       1000
 */
#pragma D option quiet

BEGIN
{
	printf("%-20s %7s %7s %-16s %9s %10s\n", "TIME", "PPID", "PID", "COMMAND", "ASKED_MS", "TOOK_MS");
}

syscall::nanosleep:entry
/wanted/
{
	self->asked = arg0;
}

/* arg1: flags, of which 1 is TIMER_ABSTIME. */
syscall::clock_nanosleep:entry
/wanted && !(arg1 & 1)/
{
	self->asked = arg2;
}

syscall::nanosleep:entry, syscall::clock_nanosleep:entry
/self->asked/
{
	self->start = timestamp;
	self->began = walltimestamp;
}

/* The time asked for is read at the end: by then the kernel has had its page. */
syscall::nanosleep:return, syscall::clock_nanosleep:return
/self->asked/
{
	this->t = (struct __kernel_timespec *)copyin(self->asked, sizeof (struct __kernel_timespec));
	printf("%-20Y %7d %7d %-16s %9d %10d\n", self->began, ppid, pid, execname,
	    this->t->tv_sec * 1000 + this->t->tv_nsec / 1000000, (timestamp - self->start) / 1000000);
	self->asked = 0;
	self->start = 0;
	self->began = 0;
}
