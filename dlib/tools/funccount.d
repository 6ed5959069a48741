#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * funccount.d: how often the functions of a program or library are called.
 *
 * Topic: Functions of programs
 * Usage: funccount.d -p PID|-c COMMAND [--module NAME] [--function NAME] [--interval TIME]
 * Both names may be patterns. Each call costs the program some microseconds.
 *
 * FUNCTION  the function        COUNT  how often
 *
 * Example:
 *   # funccount.d --module libc --function "str*" -c "find /etc/ssl -name x"
 *   FUNCTION                                      COUNT
 *   strdup                                           14
 *   strndup                                          12
 *   str_to_mpn.part.0.constprop.0                     2
 *   strtod                                            1
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param module string "file that has the functions, a.out for the program" a.out
#pragma D param function string "functions, a pattern" *
#pragma D param interval string "time between reports; else one at the end" 1d

BEGIN
{
	printf("Tracing... Ctrl-C ends.\n");
}

pid$target:$module:$function:entry
{
	@[probefunc] = count();
}

tick-$interval
{
	printf("%Y\n", walltimestamp);
}

tick-$interval, END
{
	printf("%-40s %10s\n", "FUNCTION", "COUNT");
	printa("%-40s %@10d\n", @);
	trunc(@);
}
