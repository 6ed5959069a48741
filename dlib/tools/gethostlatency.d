#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gethostlatency.d: how long a program waits for the addresses of host names.
 *
 * Topic: Functions of programs
 * Usage: gethostlatency.d [-p PID|-c COMMAND]
 * All programs, also those that start later; with -p or -c only this process and its descendants. getaddrinfo(3) and
 * gethostbyname(3) of the C library. Programs with a resolver of their own (Go) do not call it.
 *
 * TIME  when it returned    COMMAND  the program     MS  milliseconds
 * RESULT  ok, or failed     HOST  the name
 *
 * Example:
 *   # gethostlatency.d -c "python3 names.py"
 *   TIME                     PID COMMAND                MS RESULT  HOST
 *   2026 Nov 26 12:00:37   25813 python3                 0 ok      localhost
 *   2026 Nov 26 12:00:37   25813 python3                 1 failed  nosuch.invalid
 */
#pragma D option quiet

BEGIN
{
	printf("%-20s %7s %-16s %8s %-7s %s\n", "TIME", "PID", "COMMAND", "MS", "RESULT", "HOST");
}

pid*:libc.so*:getaddrinfo:entry, pid*:libc.so*:gethostbyname:entry
/arg0 && wanted/
{
	self->start = timestamp;
	self->host = arg0;
}

/* The name is read now: at the entry its page may not be in memory yet. getaddrinfo() returns 0 if it has an address,
 * gethostbyname() the address of a struct. */
pid*:libc.so*:getaddrinfo:return, pid*:libc.so*:gethostbyname:return
/self->start/
{
	printf("%-20Y %7d %-16s %8d %-7s %s\n", walltimestamp, pid, execname, (timestamp - self->start) / 1000000,
	    (probefunc == "getaddrinfo") == ((int)arg1 == 0) ? "ok" : "failed", copyinstr(self->host));
	self->start = 0;
	self->host = 0;
}
