#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * offcpu.d: threads that sleep for long.
 *
 * Idle programs do that, too: so the threshold is high, and the stack says what the thread waited for.
 *
 * Tracker offcpu, default 2: sleeping
 *   waits for "unknown": sleep, unknown
 *   groups by args[1]
 *   keys by process: args[0]->comm
 *   cause: what the thread waited for, in words
 *   stack: where it slept
 *   condition: 1: its registers say of a futex that it is very likely a condition, not a lock
 *   timed_out: 1: a timer ended the wait
 *   waker_tid, waker_comm: the thread that woke it up; 0: a timer
 *   stopper_tid, stopper_comm: the thread that stopped it by a signal, or as its tracer; 0: it was not stopped
 *   signal: the signal that stopped it
 *   iowait: 1: the kernel counts the thread as waiting for I/O
 *   reclaiming: 1: the thread was freeing memory
 *   work: the function of the work item that it waited for and the waker ran; 0: none, or functions of this kernel
 *     cannot be traced
 *
 * A thread takes its stack itself when it goes on (Linux 6.16). The stack is whole then: the stack of a thread that is
 * switched out lacks the functions of the scheduler and of locks. A sleep of less than a millisecond ends where the
 * previous thread leaves the CPU, which is cheaper. The end of a switch is looked at each time, whether its beginning
 * was seen or not: see there.
 */
#pragma D option quiet
#pragma D option noself
#pragma D option zdefs
#pragma D param programs int "1: programs/offcpu.d tells of waits for a futex" 0

#pragma D param offcpu_one_in int "one thread in this number is looked at: 1, 2, 4, 8 …" 1

/* By its number: both ends of a sleep then agree without asking a table. */
inline int slept_at[struct task_struct *T] = !(T->pid & ($offcpu_one_in - 1));

string sender_name[pid_t], stopper_name[pid_t];
uint64_t timed_out[pid_t]; /* by thread: when a timer last ended its wait */
uint64_t stopped[pid_t]; /* since when: what began then is that stop, and not a later sleep */

uintptr_t flushed[pid_t]; /* by thread: the function of the work item that it waits for */

tracker offcpu (struct task_struct *) { threshold = 100ms; limit = 100; }

/* If a timer ends a wait, no thread ended it: the thread on the CPU was only interrupted. By CPU. */
int in_timer[int32_t];

sdt:timer::hrtimer_expire_entry, sdt:timer::timer_expire_entry
{
	in_timer[cpu] = 1;
}

sdt:timer::hrtimer_expire_entry
/hrtimer_sleeps[args[0]] != NULL && hrtimer_sleeps[args[0]]->mm != NULL/
{
	timed_out[hrtimer_sleeps[args[0]]->pid] = timestamp;
}

sdt:timer::hrtimer_expire_exit, sdt:timer::timer_expire_exit
{
	in_timer[cpu] = 0;
}

fbt::flush_work:entry, fbt::__flush_work:entry
{
	flushed[tid] = (uintptr_t)((struct work_struct *)arg0)->func;
}

fbt::flush_work:return, fbt::__flush_work:return
{
	flushed[tid] = 0;
}

/* The waker, only of threads that slept for long by the threshold as it is now: they may still wait for a CPU. */
sdt:sched::sched_waking
/slept_at[args[0]] && pending(offcpu, args[0]) > (threshold(offcpu) < 200000000 ? threshold(offcpu) / 2 : 100000000)/
{
	waker[args[0]->pid] = in_timer[cpu] ? 0 : tid;
	waker_name[args[0]->pid] = in_timer[cpu] ? "" : execname;
}

/* Not all sleeps that end are told of (the limit, a threshold that is changed): nothing stays of threads that have
 * ended. */
sdt:sched::sched_process_exit
{
	waker[tid] = 0;
	waker_name[tid] = 0;
	timed_out[tid] = 0;
}

sdt:sched::sched_switch
/slept_at[args[2]] && (!sched_has_exit || pending(offcpu, args[2]) < 1000000)/
{
	end(offcpu, args[2]);
}

/* This runs at the end of every switch, and not only where the clause above has noted that a long sleep is about to
 * end. A kernel may run no BPF program in the context of some threads (seen: those of process 1). Then their switch
 * away to the thread that slept is not seen, but this, in the context of the other thread, is. Measured: of 600 sleeps,
 * a clause that waits for such a note loses 1. */
sdt:::sched_exit_tp
/arg0 && slept_at[curthread]/
{
	end(offcpu, curthread);
}

sdt:sched::sched_switch
/!args[0] && args[3] && slept_at[args[1]]/
{
	begin(offcpu, args[1]);
}

/* The thread that stopped a process. The process's threads keep it until they go on. */
sdt:signal::signal_generate
/args[0] == SIGSTOP || args[0] == SIGTSTP || args[0] == SIGTTIN || args[0] == SIGTTOU/
{
	sender[args[2]->tgid] = tid;
	sender_name[args[2]->tgid] = execname;
	sent[args[2]->tgid] = args[0];
}

sdt:sched::sched_switch
/!args[0] && (args[3] & TASK_BITS_STOPPED) && args[1]->ptrace/
{
	stopped[args[1]->pid] = timestamp;
	stopper[args[1]->pid] = args[1]->parent->pid;
	stopper_name[args[1]->pid] = stringof(args[1]->parent->comm);
}

sdt:sched::sched_switch
/!args[0] && (args[3] & TASK_BITS_STOPPED) && !args[1]->ptrace/
{
	stopped[args[1]->pid] = timestamp;
	stopper[args[1]->pid] = sender[args[1]->tgid];
	stopper_name[args[1]->pid] = sender_name[args[1]->tgid];
	stop_signal[args[1]->pid] = sent[args[1]->tgid];
}

sdt:sched::sched_process_exit
/sender[pid] && tid == pid/
{
	sender[pid] = 0;
	sender_name[pid] = 0;
	sent[pid] = 0;
}

sdt:sched::sched_process_exit
/stopped[tid]/
{
	stopped[tid] = 0;
	stopper[tid] = 0;
	stopper_name[tid] = 0;
	stop_signal[tid] = 0;
}

latency:offcpu::slow
/!(args[0]->how & HOW_NOT_ENDED) && args[0]->tid == tid && !($programs && futex_call)/
{
	this->stopped = stopped[tid] >= args[0]->start;
	this->signal = this->stopped ? stop_signal[tid] : 0;
	slow("cause", why(stack()), "condition", futex_call && futex_condition,
	    "timed_out", timed_out[tid] >= args[0]->start, "stack", stack(), "waker_tid", waker[tid],
	    "waker_comm", waker_name[tid], "stopper_tid", this->stopped ? stopper[tid] : 0,
	    "stopper_comm", this->stopped ? stopper_name[tid] : "",
	    "signal", this->signal ? signal_name[this->signal] : "", "iowait", args[1]->in_iowait,
	    "reclaiming", (args[1]->flags & (PF_MEMALLOC | PF_KSWAPD)) == PF_MEMALLOC,
	    "work", func(flushed[tid]));
	waker[tid] = 0;
	waker_name[tid] = 0;
}

latency:offcpu::slow
/!(args[0]->how & HOW_NOT_ENDED) && args[0]->tid != tid/
{
	this->stopped = stopped[args[0]->tid] >= args[0]->start;
	this->signal = this->stopped ? stop_signal[args[0]->tid] : 0;
	slow("cause", why(args[0]->stack), "timed_out", timed_out[args[0]->tid] >= args[0]->start,
	    "stack", args[0]->stack, "waker_tid", waker[args[0]->tid], "waker_comm", waker_name[args[0]->tid],
	    "stopper_tid", this->stopped ? stopper[args[0]->tid] : 0,
	    "stopper_comm", this->stopped ? stopper_name[args[0]->tid] : "",
	    "signal", this->signal ? signal_name[this->signal] : "", "iowait", args[1]->in_iowait,
	    "reclaiming", (args[1]->flags & (PF_MEMALLOC | PF_KSWAPD)) == PF_MEMALLOC,
	    "work", func(flushed[args[0]->tid]));
	waker[args[0]->tid] = 0;
	waker_name[args[0]->tid] = 0;
}
