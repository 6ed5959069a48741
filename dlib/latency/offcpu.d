#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * offcpu.d: threads that sleep for long.
 *
 * What every idle program does, too: the threshold is high, and the stack says for what. Attributes of slow events: cause: in words; stack: where the
 * thread slept; waker_tid, waker_comm: who woke it up; iowait: 1: the kernel counts it as waiting for I/O; reclaiming: 1: it was
 * freeing memory.
 *
 * The thread takes its stack itself when it goes on (Linux 6.16): whole, while that of a thread that is switched out lacks the
 * functions of the scheduler and of locks. Sleeps of less than a millisecond end where another thread makes way, which is cheaper.
 */
#pragma D option quiet
#pragma D option noself
#pragma D option zdefs

tracker offcpu (struct task_struct *) { threshold = 100ms; limit = 100; }

/* Only of those that slept for long: who woke them. */
sdt:sched::sched_waking
/pending(offcpu, args[0]) > 100000000/
{
	waker[args[0]->pid] = tid;
	waker_name[args[0]->pid] = execname;
}

sdt:sched::sched_switch
/!sched_has_exit || pending(offcpu, args[2]) < 1000000/
{
	end(offcpu, args[2]);
}

sdt:::sched_exit_tp
/arg0/
{
	end(offcpu, curthread);
}

sdt:sched::sched_switch
/!args[0] && args[3]/
{
	begin(offcpu, args[1]);
}

latency:offcpu::slow
/!(args[0]->how & 3) && args[0]->tid == tid/
{
	slow("cause", why(stack()), "stack", stack(), "waker_tid", waker[tid], "waker_comm", waker_name[tid],
	    "iowait", args[1]->in_iowait, "reclaiming", (args[1]->flags & PF_MEMALLOC) != 0);
	waker[tid] = 0;
	waker_name[tid] = 0;
}

latency:offcpu::slow
/!(args[0]->how & 3) && args[0]->tid != tid/
{
	slow("cause", why(args[0]->stack), "stack", args[0]->stack, "waker_tid", waker[args[0]->tid], "waker_comm", waker_name[args[0]->tid],
	    "iowait", args[1]->in_iowait, "reclaiming", (args[1]->flags & PF_MEMALLOC) != 0);
	waker[args[0]->tid] = 0;
	waker_name[args[0]->tid] = 0;
}
