#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * offcpu.d: threads that sleep for long.
 *
 * What every idle program does, too: the threshold is high, and the stack says for what. Attributes of slow events: cause: in words; stack: where the
 * thread slept; waker_tid, waker_comm, waker_stack: who woke it up, and where; iowait: 1: the kernel
 * counts it as waiting for I/O; reclaiming: 1: it was freeing memory.
 */
#pragma D option quiet
#pragma D option noself

tracker offcpu (struct task_struct *) { threshold = 100ms; limit = 100; }

/* Only of those that slept for long: who woke them. */
sdt:sched::sched_waking
/pending(offcpu, args[0]) > 100000000/
{
	waker[args[0]->pid] = tid;
	waker_name[args[0]->pid] = execname;
}

sdt:sched::sched_switch
{
	end(offcpu, args[2]);
}

sdt:sched::sched_switch
/!args[0] && args[3]/
{
	begin(offcpu, args[1]);
}

latency:offcpu::slow
/!args[0]->how/
{
	slow("cause", why(args[0]->stack), "stack", args[0]->stack, "waker_tid", waker[args[0]->tid], "waker_comm", waker_name[args[0]->tid],
	    "iowait", args[1]->in_iowait, "reclaiming", (args[1]->flags & PF_MEMALLOC) != 0);
	waker[args[0]->tid] = 0;
	waker_name[args[0]->tid] = 0;
}
