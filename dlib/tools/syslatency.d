#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * syslatency.d: how long each system call takes, as a distribution.
 *
 * Topic: System calls
 * Usage: syslatency.d [-p PID|-c COMMAND] [--call NAME] [--interval TIME]
 * With -p or -c only those of this process and its descendants. NAME may be a pattern (read*).
 * The values are microseconds, waiting among them.
 *
 * Example:
 *   # syslatency.d --call read -c "dd if=/dev/zero of=/dev/null bs=64k count=1000"
 *   read (us)
 *              value  ------------- Distribution ------------- count
 *                  0 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1000
 *                  8 |                                         0
 *                 16 |                                         0
 *                 24 |                                         0
 *                 32 |                                         0
 *                 40 |                                         0
 *                 48 |                                         0
 *                 56 |                                         0
 *                 64 |                                         1
 *                 80 |                                         1
 *                 96 |                                         0
 *                112 |                                         0
 *                128 |                                         0
 *                160 |                                         0
 *                192 |                                         0
 *                224 |                                         0
 *                256 |                                         0
 *                320 |                                         0
 *   ...
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param call string "system call, a pattern" *
#pragma D param interval string "time between reports; else one at the end" 1d

BEGIN
{
	printf("Tracing... Ctrl-C ends.\n");
}

syscall::$call:entry
/wanted/
{
	self->start = timestamp;
}

syscall::$call:return
/self->start/
{
	@[group_prefix, probefunc] = hist((timestamp - self->start) / 1000);
	self->start = 0;
}

tick-$interval
{
	printf("%Y\n", walltimestamp);
}

tick-$interval, END
{
	printa("%s%s (us) %@d\n", @);
	trunc(@);
}
