#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hrtimers.d: timers of the kernel that expire, by function.
 *
 * Topic: Interrupts and kernel work
 * Usage: hrtimers.d [--interval TIME]
 *
 * FUNCTION  what the timer calls        COUNT  how often
 *
 * Example:
 *   # hrtimers.d -c "sleep 1"
 *   2026 Nov 21 17:22:20
 *   FUNCTION                                               COUNT
 *   vmlinux`tick_nohz_handler                                503
 *   vmlinux`hrtimer_wakeup                                   183
 *   vmlinux`watchdog_timer_fn                                  2
 *   vmlinux`timerfd_tmrproc                                    1
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param interval string "time between reports" 5s

sdt:::hrtimer_expire_entry
{
	@[func((uintptr_t)args[0]->function)] = count();
}

tick-$interval, END
{
	printf("%Y\n%-50s %9s\n", walltimestamp, "FUNCTION", "COUNT");
	printa("%-50a %@9d\n", @);
	trunc(@);
}
