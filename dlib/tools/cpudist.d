#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cpudist.d: how long threads run before they leave the CPU, or stay away from it.
 *
 * Topic: CPU
 * Usage: cpudist.d [--off 1] [-p PID|-c COMMAND] [--interval TIME]
 * --off 1 measures the time away from the CPU instead. With -p or -c only this process and its
 * descendants. Microseconds, by program.
 *
 * Example:
 *   # cpudist.d --off 1 -c "sleep 0.3"
 *   Tracing... Ctrl-C ends.
 *   sleep (us)
 *              value  ------------- Distribution ------------- count
 *             131072 |                                         0
 *             262144 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1
 *             524288 |                                         0
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param off int "1: time off the CPU" 0
#pragma D param interval string "time between reports; else one at the end" 1d

self uint64_t since;

BEGIN
{
	printf("Tracing... Ctrl-C ends.\n");
}

sched:::on-cpu
/$off && self->since/
{
	@[group_name] = quantize((timestamp - self->since) / 1000);
}

sched:::off-cpu
/!$off && self->since/
{
	@[group_name] = quantize((timestamp - self->since) / 1000);
}

sched:::on-cpu, sched:::off-cpu
{
	self->since = (probename == "off-cpu") == ($off != 0) && pid != 0 && wanted ?
	    timestamp : 0;
}

tick-$interval
{
	printf("%Y\n", walltimestamp);
}

tick-$interval, END
{
	printa("%s (us)%@d\n", @);
	trunc(@);
}
