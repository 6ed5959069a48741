#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hotkernel.d: functions of the kernel that use most CPU time.
 *
 * Topic: CPU
 * Usage: hotkernel.d [--top N] [--rate HZ] [--interval TIME]
 * Looks at every CPU some hundred times a second. Idle CPUs are included.
 *
 * FUNCTION  what was running          SAMPLES  how often it was seen
 *
 * Example:
 *   # hotkernel.d --top 5 -c "dd if=/dev/zero of=/dev/null bs=1M count=40000"
 *   FUNCTION                                                      SAMPLES
 *   vmlinux`pv_native_safe_halt                                       283
 *   vmlinux`read_zero                                                 267
 *   vmlinux`__cond_resched                                              3
 *   vmlinux`vfs_write                                                   3
 *   vmlinux`vfs_read                                                    2
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param rate string "samples of each CPU in a second" 499hz
#pragma D param top int "functions shown" 30
#pragma D param interval string "time between reports; else one at the end" 1d

BEGIN
{
	printf("Tracing... Ctrl-C ends.\n");
}

profile-$rate
/arg0 && wanted/
{
	@[func(arg0)] = count();
}

tick-$interval
{
	printf("%Y\n", walltimestamp);
}

tick-$interval, END
{
	trunc(@, $top);
	printf("%-60s %8s\n", "FUNCTION", "SAMPLES");
	printa("%-60a %@8d\n", @);
	trunc(@);
}
