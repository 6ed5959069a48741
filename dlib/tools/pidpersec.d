#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pidpersec.d: processes and threads that are created each second.
 *
 * Topic: Processes
 * Usage: pidpersec.d
 *
 * TIME       when              PROCESSES  new processes
 * THREADS    new threads, the first one of each process among them
 * EXECS      programs that were executed
 *
 * Example:
 *   # pidpersec.d -c "timeout 2.5 stress-ng -q --fork 1"
 *   TIME                  PROCESSES    THREADS      EXECS
 *   2026 Nov 21 17:04:26        139        141         16
 *   2026 Nov 21 17:04:27        807        815         28
 */
#pragma D option quiet
#pragma D param interval string "time between reports" 1s

BEGIN
{
	printf("%-20s %10s %10s %10s\n", "TIME", "PROCESSES", "THREADS", "EXECS");
}

proc:::create /wanted/ { @procs = count(); }
proc:::lwp-create /wanted/ { @lwps = count(); }
proc:::exec-success /wanted/ { @execs = count(); }

tick-$interval
{
	printf("%-20Y ", walltimestamp);
	printa("%@10d ", @procs);
	printa("%@10d ", @lwps);
	printa("%@10d\n", @execs);
	clear(@procs);
	clear(@lwps);
	clear(@execs);
}
