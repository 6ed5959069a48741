#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * newproc.d: processes as they are created, and their parents.
 *
 * Topic: Processes
 * Usage: newproc.d [-p PID|-c COMMAND]
 * With -p or -c only those made by this process and its descendants.
 *
 * TIME   when              UID   user of the parent
 * PPID   the parent        PARENT  its name
 * PID    the new process
 *
 * Example, while another terminal runs bash -c "ls /etc | sort | wc -l" >/dev/null:
 *   # newproc.d -p 5023
 *   TIME                    UID    PPID PARENT               PID
 *   2026 Nov 21 17:04:25      0    5023 bash                5067
 *   2026 Nov 21 17:04:25      0    5067 bash                5068
 *   2026 Nov 21 17:04:25      0    5067 bash                5069
 *   2026 Nov 21 17:04:25      0    5067 bash                5070
 */
#pragma D option quiet

BEGIN
{
	printf("%-20s %6s %7s %-16s %7s\n", "TIME", "UID", "PPID", "PARENT", "PID");
}

proc:::create
/wanted/
{
	printf("%-20Y %6d %7d %-16s %7d\n", walltimestamp, uid, pid, execname, args[0]->pr_pid);
}
