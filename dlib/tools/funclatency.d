#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * funclatency.d: how long a function of a program or library takes.
 *
 * Topic: Functions of programs
 * Usage: funclatency.d -p PID|-c COMMAND --function NAME [--module NAME] [--interval TIME]
 * The name may be a pattern; functions that call themselves are measured once for each call. The time includes that of
 * called functions, and waits. Each call costs the program some microseconds. Nanoseconds.
 *
 * Example:
 *   # funclatency.d --module libc --function malloc -c "find /etc/ssl -name x"
 *   malloc (ns)
 *              value  ------------- Distribution ------------- count
 *                256 |                                         0
 *                512 |@@@@                                     86
 *               1024 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@       714
 *               2048 |@                                        24
 *               4096 |                                         2
 *               8192 |                                         1
 *              16384 |                                         1
 *              32768 |                                         1
 *              65536 |                                         0
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param module string "file that has the function, a.out for the program" a.out
#pragma D param function string "function, a pattern"
#pragma D param interval string "time between reports; else one at the end" 1d

BEGIN
{
	printf("Tracing... Ctrl-C ends.\n");
}

pid$target:$module:$function:entry
{
	self->depth++;
	self->start[self->depth] = timestamp;
}

pid$target:$module:$function:return
/self->depth && self->start[self->depth]/
{
	@[probefunc] = quantize(timestamp - self->start[self->depth]);
	self->start[self->depth] = 0;
	self->depth--;
}

tick-$interval
{
	printf("%Y\n", walltimestamp);
}

tick-$interval, END
{
	printa("%s (ns)%@d\n", @);
	trunc(@);
}
