#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memgrow.d: memory that programs ask the kernel for: brk(2) and mmap(2) by stack.
 *
 * Topic: Memory
 * Usage: memgrow.d [-p PID|-c COMMAND] [--top N] [--interval TIME]
 * With -p or -c of this process and its descendants, else of all. Below each stack the program and
 * KB of address space in all; what was given back is not subtracted.
 *
 * Example:
 *   # memgrow.d --top 1 -c "sort -o /dev/null /etc/services"
 *   libc.so.6`mmap+0x13
 *   libc.so.6`sysmalloc_mmap.constprop.0+0x48
 *   libc.so.6`sysmalloc+0x1dc
 *   libc.so.6`_int_malloc+0xd5e
 *   libc.so.6`malloc+0x19a
 *   sort`0x55f39206ee8d
 *   sort`0x55f39206d99f
 *   libc.so.6`__libc_start_call_main+0x7a
 *   ...
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param top int "stacks shown" 10
#pragma D param interval string "time between reports; else one at the end" 1d

/* Source: include/uapi/asm-generic/mman-common.h. */
inline int ANONYMOUS = 0x20;

BEGIN
{
	printf("Tracing... Ctrl-C ends.\n");
}

syscall::mmap:entry
/arg3 & ANONYMOUS && wanted/
{
	@[ustack(8), group_name] = sum(arg1);
}

syscall::brk:entry
/wanted/
{
	self->brk = curthread->mm->brk;
}

syscall::brk:return
/self->brk && arg0 > self->brk/
{
	@[ustack(8), group_name] = sum(arg0 - self->brk);
}

syscall::brk:return
{
	self->brk = 0;
}

tick-$interval
{
	printf("%Y\n", walltimestamp);
}

tick-$interval, END
{
	trunc(@, $top);
	normalize(@, 1024);
	printa("%k  %s %@d KB\n", @);
	trunc(@);
}
