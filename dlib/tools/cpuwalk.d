#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cpuwalk.d: on which CPUs each process runs.
 *
 * Topic: CPU
 * Usage: cpuwalk.d [-p PID|-c COMMAND] [--interval TIME]
 * With -p or -c this process and its descendants, else all but idle CPUs. Looks some hundred times a
 * second; the values are CPU numbers.
 *
 * Example:
 *   # cpuwalk.d -c "stress-ng -q --cpu 2 -t 1"
 *   11883 stress-ng (CPU)
 *              value  ------------- Distribution ------------- count
 *                < 0 |                                         0
 *                  0 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 5
 *                  1 |                                         0
 *
 *   11886 stress-ng-cpu (CPU)
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

profile-499hz
/pid && wanted/
{
	@[group_id, group_name] = lquantize(cpu, 0, 1024, 1);
}

tick-$interval
{
	printf("%Y\n", walltimestamp);
}

tick-$interval, END
{
	printa("%d %s (CPU)%@d\n", @);
	trunc(@);
}
