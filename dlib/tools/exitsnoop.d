#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exitsnoop.d: processes as they end: how old they became, and why they ended.
 *
 * Topic: Processes
 * Usage: exitsnoop.d [-p PID|-c COMMAND]
 * With -p or -c only this process and its descendants.
 *
 * PID, PPID, COMMAND   the process
 * AGE_MS   milliseconds since it was created
 * WHY      exit: by itself; signal: killed; core: killed, and dumped core
 * CODE     the exit status, or the signal
 *
 * Example, while another terminal runs bash -c "sleep 0.2; (exit 3); kill -TERM $$":
 *   # exitsnoop.d -p 4785
 *       PID    PPID COMMAND              AGE_MS WHY    CODE
 *      4787    4785 sleep                  1221 exit   0
 *      4802    4785 sleep                   212 exit   0
 *      4805    4785 bash                      2 exit   3
 *      4785    4681 bash                   1447 signal SIGTERM
 */
#pragma D option quiet

BEGIN
{
	printf("%7s %7s %-16s %10s %-6s %s\n", "PID", "PPID", "COMMAND", "AGE_MS", "WHY", "CODE");
}

proc:::exit
/wanted/
{
	printf("%7d %7d %-16s %10d %-6s %s\n", pid, ppid, execname,
	    (timestamp - curthread->group_leader->start_time) / 1000000,
	    args[0] == CLD_EXITED ? "exit" : args[0] == CLD_KILLED ? "signal" : "core",
	    args[0] == CLD_EXITED ? lltostr((curthread->exit_code >> 8) & 0xff) :
	    signal_name[curthread->exit_code & 0x7f]);
}
