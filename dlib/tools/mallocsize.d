#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mallocsize.d: how much memory a program asks malloc(3) for.
 *
 * Topic: Functions of programs
 * Usage: mallocsize.d -p PID|-c COMMAND [--module NAME] [--interval TIME]
 * malloc(), calloc() and realloc() of libc, or of another library. The values are bytes of a call.
 *
 * Example:
 *   # mallocsize.d -c "find /etc/ssl -name x"
 *   find calloc (bytes)
 *              value  ------------- Distribution ------------- count
 *                 16 |                                         0
 *                 32 |@@@                                      1
 *                 64 |                                         0
 *                128 |@@@@@@@                                  2
 *                256 |@@@@@@@@@@@@@@@@@@@@@@@                  7
 *                512 |@@@@@@@                                  2
 *               1024 |                                         0
 *
 *   find realloc (bytes)
 *              value  ------------- Distribution ------------- count
 *   ...
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param module string "library that has malloc()" libc
#pragma D param interval string "time between reports; else one at the end" 1d

BEGIN
{
	printf("Tracing... Ctrl-C ends.\n");
}

pid$target:$module:malloc:entry { @[execname, probefunc] = quantize(arg0); }
pid$target:$module:calloc:entry { @[execname, probefunc] = quantize(arg0 * arg1); }
pid$target:$module:realloc:entry { @[execname, probefunc] = quantize(arg1); }

tick-$interval
{
	printf("%Y\n", walltimestamp);
}

tick-$interval, END
{
	printa("%s %s (bytes)%@d\n", @);
	trunc(@);
}
