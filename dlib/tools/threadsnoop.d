#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threadsnoop.d: threads as they are created, and how long those lived that end.
 *
 * Topic: Processes
 * Usage: threadsnoop.d [-p PID|-c COMMAND]
 * With -p or -c only those of this process and its descendants.
 *
 * TIME   when             EVENT  new, end
 * PID, COMMAND   the process; TID  the thread that is new or ends
 * AGE_MS   of a thread that ends: milliseconds since it was created
 *
 * Example:
 *   # threadsnoop.d -c "timeout 1 stress-ng -q --pthread 1 --pthread-ops 10"
 *   TIME                 EVENT     PID COMMAND              TID     AGE_MS
 *   2026 Nov 21 17:04:35 new      6521 stress-ng-pthre     6522          -
 *   2026 Nov 21 17:04:35 new      6521 stress-ng-pthre     6523          -
 *   2026 Nov 21 17:04:35 new      6521 stress-ng-pthre     6524          -
 *   2026 Nov 21 17:04:35 new      6521 stress-ng-pthre     6525          -
 *   ...
 */
#pragma D option quiet

BEGIN
{
	printf("%-20s %-5s %7s %-16s %7s %10s\n", "TIME", "EVENT", "PID", "COMMAND", "TID", "AGE_MS");
}

proc:::lwp-create
/wanted && args[1]->pr_pid == pid/
{
	printf("%-20Y %-5s %7d %-16s %7d %10s\n", walltimestamp, "new", pid, execname,
	    args[0]->pr_lwpid, "-");
}

proc:::lwp-exit
/wanted/
{
	printf("%-20Y %-5s %7d %-16s %7d %10d\n", walltimestamp, "end", pid, execname, tid,
	    (timestamp - curthread->start_time) / 1000000);
}
