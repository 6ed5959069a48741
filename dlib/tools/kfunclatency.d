#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kfunclatency.d: how long a function of the kernel takes.
 *
 * Topic: Functions of the kernel
 * Usage: kfunclatency.d --function NAME [--module NAME] [-p PID|-c COMMAND] [--interval TIME]
 * The name may be a pattern; functions that call themselves are measured once for each call. The time includes that of
 * called functions, and waits. Nanoseconds.
 *
 * Example:
 *   # kfunclatency.d --function vfs_write -c "dd if=/dev/zero of=/dev/null count=100"
 *   vfs_write (ns)
 *              value  ------------- Distribution ------------- count
 *                256 |                                         0
 *                512 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@   99
 *               1024 |@@                                       5
 *               2048 |                                         0
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param module string "vmlinux, or a module of the kernel" *
#pragma D param function string "function, a pattern"
#pragma D param interval string "time between reports; else one at the end" 1d

BEGIN
{
	printf("Tracing... Ctrl-C ends.\n");
}

fbt:$module:$function:entry
/wanted/
{
	self->depth++;
	self->start[self->depth] = timestamp;
}

fbt:$module:$function:return
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
