#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * syscallbyproc.d: system calls by process.
 *
 * Topic: System calls
 * Usage: syscallbyproc.d [--interval TIME] [--top N]
 *
 * PID, COMMAND   the process      COUNT  its system calls
 *
 * Example:
 *   # syscallbyproc.d -c "sleep 1" --top 5
 *   2026 Nov 21 17:04:35
 *       PID COMMAND                 COUNT
 *      6414 test_run_unwind         63397
 *      6426 meson                    2287
 *      6429 clang                    1268
 *      6409 clang                    1230
 *     15268 bash                     1048
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param interval string "time between reports" 10s
#pragma D param top int "processes shown" 20

syscall:::entry
/wanted/
{
	@[group_id, group_name] = count();
}

tick-$interval, END
{
	trunc(@, $top);
	printf("%Y\n%7s %-16s %12s\n", walltimestamp, group_id_head, group_head, "COUNT");
	printa("%7d %-16s %@12d\n", @);
	trunc(@);
}
