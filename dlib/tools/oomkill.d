#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oomkill.d: processes that the kernel kills because there is no memory left.
 *
 * Topic: Memory
 * Usage: oomkill.d
 *
 * TIME      when              VICTIM, COMMAND  the process that is killed
 * RSS_KB    its memory        BY   the process that asked for the memory that was not there
 *
 * Example, while a cgroup of 20 MB runs a program that touches 80 MB:
 *   # oomkill.d
 *   TIME                  VICTIM COMMAND              RSS_KB     PID BY
 *   2026 Nov 21 17:22:25   12077 trigger               21608   12077 trigger
 */
#pragma D option quiet

BEGIN
{
	printf("%-20s %7s %-16s %10s %7s %-16s\n", "TIME", "VICTIM", "COMMAND", "RSS_KB", "PID", "BY");
}

sdt:::mark_victim
{
	printf("%-20Y %7d %-16s %10d %7d %-16s\n", walltimestamp, args[0]->tgid, stringof(args[0]->comm),
	    args[0]->mm != NULL ? mm_rss[args[0]->mm] * 4 : 0, pid, execname);
}
