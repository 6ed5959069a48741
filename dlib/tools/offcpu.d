#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * offcpu.d: where threads wait: stacks, and how long they were off the CPU.
 *
 * Topic: Scheduler
 * Usage: offcpu.d [-p PID|-c COMMAND] [--top N] [--us N] [--interval TIME]
 * With -p or -c threads of this process and its descendants, else all. Time of threads that were
 * only preempted is among it. Below the stacks the name and milliseconds in all.
 *
 * Example:
 *   # offcpu.d --top 1 -c "sleep 0.5"
 *   vmlinux`__schedule+0x4bf
 *   vmlinux`schedule+0x23
 *   vmlinux`do_nanosleep+0x5e
 *   vmlinux`hrtimer_nanosleep+0x74
 *   vmlinux`common_nsleep+0x30
 *   vmlinux`__x64_sys_clock_nanosleep+0xce
 *   vmlinux`do_syscall_64+0x71
 *   vmlinux`entry_SYSCALL_64_after_hwframe+0x76
 *
 *   libc.so.6`clock_nanosleep+0x23
 *   libc.so.6`nanosleep+0x13
 *   sleep`0x55e6fbeb44af
 *   sleep`0x55e6fbeb3f81
 *   sleep`0x55e6fbeb0558
 *   libc.so.6`__libc_start_call_main+0x7a
 *   libc.so.6`__libc_start_main+0x85
 *   ...
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param top int "stacks shown" 10
#pragma D param us int "microseconds from which on a wait counts" 1
#pragma D param interval string "time between reports; else one at the end" 1d

BEGIN
{
	printf("Tracing... Ctrl-C ends.\n");
}

sched:::off-cpu
/pid && wanted/
{
	self->left = timestamp;
}

sched:::on-cpu
/self->left && timestamp - self->left >= $us * 1000/
{
	@[stack(), jstack(100), group_name] = sum(timestamp - self->left);
}

sched:::on-cpu
/self->left/
{
	self->left = 0;
}

tick-$interval
{
	printf("%Y\n", walltimestamp);
}

tick-$interval, END
{
	trunc(@, $top);
	normalize(@, 1000000);
	printa("%k%k  %s %@d ms\n", @);
	trunc(@);
}
