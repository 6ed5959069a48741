#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pagefaults.d: page faults of programs, by stack.
 *
 * Topic: Memory
 * Usage: pagefaults.d [-p PID|-c COMMAND] [--top N] [--interval TIME]
 * With -p or -c of this process and its descendants, else of all. Below each stack the program and
 * how often.
 *
 * Example:
 *   # pagefaults.d --top 1 -c "find /etc/ssl -name x"
 *   libc.so.6`_int_malloc+0xda9
 *   libc.so.6`malloc+0x19a
 *   find`0x55e45d2da753
 *   find`0x55e45d2db173
 *   find`0x55e45d2dc4e8
 *   find`0x55e45d2ca72d
 *   find`0x55e45d2ca987
 *   find`0x55e45d2c9aed
 *   ...
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param top int "stacks shown" 10
#pragma D param interval string "time between reports; else one at the end" 1d

BEGIN
{
	printf("Tracing... Ctrl-C ends.\n");
}

vminfo:::as_fault
/wanted/
{
	@[ustack(8), group_name] = count();
	@all[group_name] = count();
}

tick-$interval
{
	printf("%Y\n", walltimestamp);
}

tick-$interval, END
{
	trunc(@, $top);
	printa("%k  %s %@d\n", @);
	printf("\n%-16s %10s\n", group_head, "FAULTS");
	printa("%-16s %@10d\n", @all);
	trunc(@);
	trunc(@all);
}
