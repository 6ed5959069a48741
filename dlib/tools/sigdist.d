#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sigdist.d: signals by sender, receiver and number.
 *
 * Topic: Signals
 * Usage: sigdist.d [--interval TIME]
 * Also those that the kernel sends for what a program did (SIGCHLD, SIGPIPE, SIGSEGV).
 *
 * FROM     the thread that caused the signal     TO   the receiver
 * SIGNAL   what was sent                         COUNT  how often
 *
 * Example, while another terminal runs bash -c "sleep 9 & kill -USR1 $!; wait; kill -TERM $$":
 *   # sigdist.d
 *   2026 Nov 21 17:04:32
 *   FROM             TO               SIGNAL        COUNT
 *   ...
 *   python3          dwell            SIGINT            1
 *   dwell            timeout          SIGCHLD           1
 *   clang            sh               SIGCHLD           1
 *   bash             bash             SIGUSR1           1
 *   bash             bash             SIGTERM           1
 *   bash             bash             SIGCHLD           1
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param interval string "time between reports" 10s

proc:::signal-send
/wanted/
{
	@[group_name, args[1]->pr_fname, signal_name[args[2]]] = count();
}

tick-$interval, END
{
	printf("%Y\n%-16s %-16s %-10s %8s\n", walltimestamp, "FROM", "TO", "SIGNAL", "COUNT");
	printa("%-16s %-16s %-10s %@8d\n", @);
	trunc(@);
}
