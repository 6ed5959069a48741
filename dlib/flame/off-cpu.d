#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * off-cpu.d: where threads wait, and how long: stacks by command, for `dwell flame --off-cpu`.
 *
 * Usage: off-cpu.d [-p PID|-c COMMAND] [--for TIME] [--us N] [--record FILE]
 * With -p or -c threads of this process and its descendants, else all. A wait counts when it ends. The
 * time of preempted threads counts, too. The last number of a key holds facts about the wait that its stack does not
 * show, as bits: 1, the thread waited for a futex as for a condition; 2, a timer ended the wait; 4, the thread could
 * still run when it left the CPU; 8, its process ended meanwhile, and it was not the first thread: what it waited for
 * as for a condition never came. The view finds idle waits by them.
 * Functions of language runtimes are named when a key is read: often, since the collector moves them.
 */
#pragma D option quiet
#pragma D option noself
#pragma D option aggrate=200ms
#pragma D option zdefs
#pragma D param us int "microseconds from which on a wait counts" 1
#pragma D param for string "how long" 24h

uint64_t timed_out[pid_t]; /* by thread: when a timer last ended its wait */

sdt:timer::hrtimer_expire_entry
/hrtimer_sleeps[args[0]] != NULL && hrtimer_sleeps[args[0]]->mm != NULL/
{
	timed_out[hrtimer_sleeps[args[0]]->pid] = timestamp;
}

sdt:sched::sched_process_exit
/timed_out[tid]/
{
	timed_out[tid] = 0;
}

sdt:sched::sched_switch
/pid && wanted/
{
	self->left = timestamp;
	self->could = !args[0] && !args[3] ? 4 : 0;
}

sched:::on-cpu
/self->left && timestamp - self->left >= $us * 1000/
{
	this->noted = self->could | (sched_has_exit && futex_call && futex_condition ? 1 : 0) |
	    (timed_out[tid] >= self->left ? 2 : 0) | (ends_with_process ? 8 : 0);
	@off_cpu_ns[execname, pid, tid, jstack(100), why(stack()), this->noted] = sum(timestamp - self->left);
}

sched:::on-cpu
/self->left/
{
	self->left = 0;
	self->could = 0;
}

tick-$for
{
	exit(0);
}
