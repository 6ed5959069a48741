#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * siglatency.d: time from the sending of a signal until it is handled.
 *
 * Topic: Signals
 * Usage: siglatency.d [--interval TIME]
 * The time until the handler of the program is called, or until the process is killed by it.
 *
 * SIGNAL, COMMAND   the signal and the receiver; the values are microseconds
 *
 * Example, while another terminal runs bash -c "trap : USR1; for i in 1 2 3; do kill -USR1 $$; done":
 *   # siglatency.d
 *   SIGUSR1    bash             (us)
 *              value  ------------- Distribution ------------- count
 *                  0 |@@@@@@@@@@@@@                            1
 *                  1 |@@@@@@@@@@@@@                            1
 *                  2 |                                         0
 *                  3 |                                         0
 *                  4 |@@@@@@@@@@@@@                            1
 *                  5 |                                         0
 *                    p50 1, p90 4, p99 4, p99.9 4, max 4
 *
 *   SIGINT     test_run_sessio  (us)
 *              value  ------------- Distribution ------------- count
 *   ...
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param interval string "time between reports; else one at the end" 1d

BEGIN
{
	printf("Tracing... Ctrl-C ends.\n");
}

signal:::send
{
	sent[args[1]->pr_pid, args[2]] = timestamp;
}

signal:::handle
/wanted && sent[pid, args[0]]/
{
	@[signal_name[args[0]], group_name] = hist((timestamp - sent[pid, args[0]]) / 1000);
}

signal:::handle
/sent[pid, args[0]]/
{
	sent[pid, args[0]] = 0;
}

tick-$interval
{
	printf("%Y\n", walltimestamp);
}

tick-$interval, END
{
	printa("%-10s %-16s (us) %@d\n", @);
	trunc(@);
}
