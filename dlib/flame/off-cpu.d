#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * off-cpu.d: where threads wait, and how long: stacks by command, for `dwell flame --off-cpu`.
 *
 * Usage: off-cpu.d [-p PID|-c COMMAND] [--for TIME] [--us N] [--record FILE]
 * With -p or -c threads of this process and its descendants, else all. A wait counts when it ends; time of
 * threads that were only preempted is among it.
 */
#pragma D option quiet
#pragma D option noself
#pragma D param us int "microseconds from which on a wait counts" 1
#pragma D param for string "how long" 24h

sched:::off-cpu
/pid && (!$target || progenyof($target))/
{
	self->left = timestamp;
}

sched:::on-cpu
/self->left && timestamp - self->left >= $us * 1000/
{
	@off_cpu_ns[execname, pid, tid, ustack(), stack()] = sum(timestamp - self->left);
}

sched:::on-cpu
/self->left/
{
	self->left = 0;
}

tick-$for
{
	exit(0);
}
