#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * futexsnoop.d: locks of programs that threads had to wait for: how often, and how long.
 *
 * Topic: Locks
 * Usage: futexsnoop.d [-p PID|-c COMMAND] [--interval TIME]
 * With -p or -c only of this process and its descendants. Mutexes, condition variables and the like
 * of programs wait by futex(2); what is free never gets there.
 *
 * PID, COMMAND  the process        FUTEX  address of the lock        COUNT  waits      MS  waited in all
 *
 * Example:
 *   # futexsnoop.d -c "stress-ng -q --mutex 1 -t 1"
 *   2026 Nov 21 17:22:17
 *       PID COMMAND          FUTEX                  COUNT        MS
 *     11915 stress-ng-mutex  0x55e72fd4d140         75443       814
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D option aggsortpos=1
#pragma D param interval string "time between reports" 10s

/* Commands FUTEX_WAIT and FUTEX_WAIT_BITSET. Source: include/uapi/linux/futex.h. */
inline int CMD = 0x7f;
inline int WAIT = 0;
inline int LOCK_PI = 6;
inline int WAIT_BITSET = 9;

syscall::futex:entry
/((arg1 & CMD) == WAIT || (arg1 & CMD) == WAIT_BITSET || (arg1 & CMD) == LOCK_PI) &&
 wanted/
{
	self->start = timestamp;
	self->futex = arg0;
}

syscall::futex:return
/self->start/
{
	@count[group_id, group_name, self->futex] = count();
	@time[group_id, group_name, self->futex] = sum(timestamp - self->start);
	self->start = 0;
	self->futex = 0;
}

tick-$interval, END
{
	normalize(@time, 1000000);
	printf("%Y\n%7s %-16s %-18s %9s %9s\n", walltimestamp, group_id_head, group_head, "FUTEX", "COUNT", "MS");
	printa("%7d %-16s %#-18x %@9d %@9d\n", @count, @time);
	trunc(@count);
	trunc(@time);
}
