#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * futex.d: threads that wait for a lock or a condition of their program (futex).
 *
 * The kernel does not know the holder of such a lock, only the thread that released it.
 *
 * Tracker futex: locks and conditions of programs
 *   waits for "futex (lock or condition)": locked, lock
 *   groups by curthread
 *   keys by process: args[0]->comm
 *   uaddr: its address
 *   condition: 1: very likely a condition, not a lock
 *   timed_out: 1: the system call returned ETIMEDOUT
 *   waker_tid, waker_comm: the thread that released it
 *   ustack: where the thread waited
 */
#pragma D option quiet
#pragma D option noself

tracker futex () { threshold = 50ms; limit = 100; }

syscall::futex:entry
/(arg1 & 0x7f) == 0 || (arg1 & 0x7f) == 6 || (arg1 & 0x7f) == 9 || (arg1 & 0x7f) == 11 || (arg1 & 0x7f) == 13/
{
	begin(futex);
	waits[tid] = 1;
	self->uaddr = arg0;
}

/* If a timer ends a wait, no thread ended it: the thread on the CPU was only interrupted. */
sdt:timer::hrtimer_expire_entry, sdt:timer::timer_expire_entry
{
	self->in_timer = 1;
}

sdt:timer::hrtimer_expire_exit, sdt:timer::timer_expire_exit
{
	self->in_timer = 0;
}

sdt:sched::sched_waking
/waits[args[0]->pid]/
{
	released[args[0]->pid] = self->in_timer ? 0 : tid;
	releaser[args[0]->pid] = self->in_timer ? "" : execname;
}

syscall::futex:return
/self->uaddr/
{
	this->timed_out = errno == ETIMEDOUT;
	end(futex, arg0);
	waits[tid] = 0;
	released[tid] = 0;
	releaser[tid] = 0;
	self->uaddr = 0;
}

latency:futex::slow
/!(args[0]->how & HOW_NOT_ENDED)/
{
	slow("uaddr", (void *)self->uaddr, "condition", futex_condition, "timed_out", this->timed_out,
	    "waker_tid", released[tid], "waker_comm", releaser[tid], "ustack", jstack(100));
}
