#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stackcount.d: callers of a function of the kernel: its stacks, counted.
 *
 * Topic: Functions of the kernel
 * Usage: stackcount.d --function NAME [--module NAME] [--top N] [-p PID|-c COMMAND] [--interval TIME]
 * The name may be a pattern. With -p or -c of this process and its descendants only.
 *
 * Example:
 *   # stackcount.d --function vfs_write --top 1 -c "dd if=/dev/zero of=/dev/null count=100"
 *   vmlinux`vfs_write+0x9
 *   vmlinux`ksys_write+0x6b
 *   vmlinux`do_syscall_64+0xc2
 *   vmlinux`entry_SYSCALL_64_after_hwframe+0x76
 *     dd 104
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param module string "vmlinux, or a module of the kernel" *
#pragma D param function string "function, a pattern"
#pragma D param top int "stacks shown" 10
#pragma D param interval string "time between reports; else one at the end" 1d

BEGIN
{
	printf("Tracing... Ctrl-C ends.\n");
}

fbt:$module:$function:entry
/wanted/
{
	@[stack(), group_name] = count();
}

tick-$interval
{
	printf("%Y\n", walltimestamp);
}

tick-$interval, END
{
	trunc(@, $top);
	printa("%k  %s %@d\n\n", @);
	trunc(@);
}
