#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hotkernel.d: functions of the kernel that use most CPU time.
 *
 * Usage: hotkernel.d [--top N] [--rate HZ]
 * Looks at every CPU some hundred times a second. What the idle CPUs do is among it.
 *
 * FUNCTION  what was running          SAMPLES  how often it was seen
 *
 * Example:
 *   # hotkernel.d --top 5 -c "dd if=/dev/zero of=/dev/null bs=1M count=40000"
 *   FUNCTION                                                      SAMPLES
 *   vmlinux`vfs_read                                                    2
 *   vmlinux`vfs_write                                                   3
 *   vmlinux`__cond_resched                                              3
 *   vmlinux`read_zero                                                 267
 *   vmlinux`pv_native_safe_halt                                       283
 */
#pragma D option quiet
#pragma D param rate string "samples of each CPU in a second" 499hz
#pragma D param top int "functions shown" 30

BEGIN
{
	printf("Tracing... Ctrl-C ends.\n");
}

profile-$rate
/arg0 && wanted/
{
	@[func(arg0)] = count();
}

END
{
	trunc(@, $top);
	printf("%-60s %8s\n", "FUNCTION", "SAMPLES");
	printa("%-60a %@8d\n", @);
}
