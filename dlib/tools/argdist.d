#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * argdist.d: with which values a function of a program or library is called, and what it returns.
 *
 * Topic: Functions of programs
 * Usage: argdist.d -p PID|-c COMMAND --function NAME [--module NAME] [--arg N] [--top N] [--interval TIME]
 *
 * The first table counts values of the argument, the second those that are returned, most frequent first;
 * the last shows the argument as a distribution.
 *
 * Example:
 *   # argdist.d --function slow_step --arg 1 -c "./steps"
 *   FUNCTION                             ARGUMENT      COUNT
 *   slow_step                                   3          1
 *   slow_step                                   2          1
 *   slow_step                                   1          1
 *   FUNCTION                             RETURNED      COUNT
 *   slow_step                                   6          1
 *   slow_step                                   4          1
 *   slow_step                                   2          1
 *   slow_step
 *              value  ------------- Distribution ------------- count
 *                  0 |                                         0
 *                  1 |@@@@@@@@@@@@@                            1
 *                  2 |@@@@@@@@@@@@@@@@@@@@@@@@@@@              2
 *                  4 |                                         0
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param module string "file that has the function, a.out for the program" a.out
#pragma D param function string "function, a pattern"
#pragma D param arg int "argument, 0 is the first, up to 4" 0
#pragma D param top int "values shown" 10
#pragma D param interval string "time between reports; else one at the end" 1d

pid$target:$module:$function:entry
{
	this->v = $arg == 0 ? arg0 : $arg == 1 ? arg1 : $arg == 2 ? arg2 : $arg == 3 ? arg3 : arg4;
	@arg[probefunc, this->v] = count();
	@dist[probefunc] = quantize(this->v);
}

pid$target:$module:$function:return
{
	@ret[probefunc, arg1] = count();
}

tick-$interval
{
	printf("%Y\n", walltimestamp);
}

tick-$interval, END
{
	trunc(@arg, $top);
	trunc(@ret, $top);
	printf("%-24s %20s %10s\n", "FUNCTION", "ARGUMENT", "COUNT");
	printa("%-24s %20d %@10d\n", @arg);
	printf("%-24s %20s %10s\n", "FUNCTION", "RETURNED", "COUNT");
	printa("%-24s %20d %@10d\n", @ret);
	printa("%s\n%@d\n", @dist);
	trunc(@arg);
	trunc(@ret);
	trunc(@dist);
}
