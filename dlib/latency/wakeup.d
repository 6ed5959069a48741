#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wakeup.d: threads that can run and wait for a CPU: after they were woken up, were preempted, or are new.
 *
 * Attributes of slow events: state: woken, preempted, or throttled (its cgroup had used up its CPU limit); prev_tid, prev_comm: the thread that had the CPU before; waker_tid, waker_comm:
 * who woke the thread up (of a preempted thread, itself).
 */
#pragma D option quiet
#pragma D option noself

uint64_t throttled[pid_t];

tracker wakeup (struct task_struct *) { threshold = 10ms; limit = 100; }

/* A thread that runs already needs no CPU; one that is about to sleep (on_cpu, no more on_rq) does. */
sdt:sched::sched_waking
/!args[0]->on_rq || !args[0]->on_cpu/
{
	begin(wakeup, args[0]);
}

sdt:sched::sched_wakeup_new
{
	begin(wakeup, args[0]);
}

sdt:sched::sched_switch
{
	end(wakeup, args[2]);
}

/* Preempted: still able to run. */
sdt:sched::sched_switch
/(args[0] || !args[3]) && args[1]->pid/
{
	begin(wakeup, args[1]);
}

/* By when, since waits that are not slow end without a look at this. */
sdt:sched::sched_switch
/(args[0] || !args[3]) && task_throttled[args[1]]/
{
	throttled[args[1]->pid] = timestamp;
}

latency:wakeup::slow
/!(args[0]->how & 3)/
{
	slow("state", throttled[args[0]->tid] >= args[0]->start ? "throttled" : args[0]->opener_tid == args[0]->tid ? "preempted" : "woken", "prev_tid", tid, "prev_comm", execname,
	    "waker_tid", args[0]->opener_tid, "waker_comm", args[0]->opener_comm);
}
