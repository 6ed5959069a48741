#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kfunccount.d: how often functions of the kernel are called.
 *
 * Topic: Functions of the kernel
 * Usage: kfunccount.d --function NAME [--module NAME] [-p PID|-c COMMAND] [--interval TIME]
 * Both names may be patterns. With -p or -c of this process and its descendants only.
 *
 * FUNCTION  the function        COUNT  how often
 *
 * Example:
 *   # kfunccount.d --function "vfs_w*" -c "dd if=/dev/zero of=/dev/null count=100"
 *   FUNCTION                                      COUNT
 *   vfs_write                                       104
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param module string "vmlinux, or a module of the kernel" *
#pragma D param function string "functions, a pattern"
#pragma D param interval string "time between reports; else one at the end" 1d

BEGIN
{
	printf("Tracing... Ctrl-C ends.\n");
}

fbt:$module:$function:entry
/wanted/
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
