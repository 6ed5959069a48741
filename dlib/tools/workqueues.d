#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workqueues.d: work that the kernel does later in its own threads, by function.
 *
 * Topic: Interrupts and kernel work
 * Usage: workqueues.d [--interval TIME]
 *
 * FUNCTION  the work        COUNT  how often        US  microseconds in all
 *
 * Example:
 *   # workqueues.d -c "dd if=/dev/zero of=/tmp/dwell.example bs=1M count=20 conv=fsync"
 *   2026 Nov 21 17:22:48
 *   FUNCTION                                               COUNT         US
 *   ...
 *   vmlinux`ext4_end_io_rsv_work                               1        533
 *   vmlinux`delayed_vfree_work                                 1         36
 *   vmlinux`wb_update_bandwidth_workfn                         1         33
 *   vmlinux`blk_mq_requeue_work                                1         30
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param interval string "time between reports" 5s

sdt:::workqueue_execute_start
{
	self->start = timestamp;
	self->work = (uintptr_t)args[0]->func;
}

sdt:::workqueue_execute_end
/self->start/
{
	@count[func(self->work)] = count();
	@time[func(self->work)] = sum(timestamp - self->start);
	self->start = 0;
	self->work = 0;
}

tick-$interval, END
{
	normalize(@time, 1000);
	printf("%Y\n%-50s %9s %10s\n", walltimestamp, "FUNCTION", "COUNT", "US");
	printa("%-50a %@9d %@10d\n", @count, @time);
	trunc(@count);
	trunc(@time);
}
