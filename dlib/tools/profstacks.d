#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profstacks.d: where CPU time is spent: stacks of the kernel and of programs.
 *
 * Topic: CPU
 * Usage: profstacks.d [-p PID|-c COMMAND] [--top N] [--interval TIME]
 * With -p or -c of this process and its descendants, else of all. The kernel's stack comes first;
 * below both the program's name and how often they were seen.
 *
 * Example:
 *   # profstacks.d --top 1 -c "dd if=/dev/zero of=/dev/null bs=1M count=20000"
 *   vmlinux`read_zero+0x77
 *   vmlinux`vfs_read+0xbb
 *   vmlinux`ksys_read+0x66
 *   vmlinux`do_syscall_64+0x71
 *   vmlinux`entry_SYSCALL_64_after_hwframe+0x76
 *
 *   libc.so.6`read+0xd
 *   dd`0x56235bb7193c
 *   dd`0x56235bb6f2fe
 *   libc.so.6`__libc_start_call_main+0x7a
 *   libc.so.6`__libc_start_main+0x85
 *   dd`0x56235bb70451
 *     dd 11
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param top int "stacks shown" 10
#pragma D param interval string "time between reports; else one at the end" 1d

BEGIN
{
	printf("Tracing... Ctrl-C ends.\n");
}

profile-99
/wanted/
{
	@[stack(), jstack(100), group_name] = count();
}

tick-$interval
{
	printf("%Y\n", walltimestamp);
}

tick-$interval, END
{
	trunc(@, $top);
	printa("%k%k  %s %@d\n", @);
	trunc(@);
}
