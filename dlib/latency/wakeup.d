#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wakeup.d: threads that can run and wait for a CPU: after they were woken up, were preempted, or are new.
 *
 * Tracker wakeup, default 1: waiting for a CPU
 *   waits for "a CPU": locked, cpu
 *   groups by args[1]
 *   keys by process: args[0]->comm
 *   state = woken | preempted | throttled: throttled: its cgroup had used up its CPU limit
 *   prev_tid, prev_comm: the thread that had the CPU before
 *   waker_tid, waker_comm: the thread that woke it up; of a preempted thread, itself
 *   softirq_ns, softirq: how long softirqs had the CPU meanwhile, and the last of them
 *   irq_ns, irq: how long interrupts had the CPU meanwhile, those within softirqs too, and the last of them
 *
 * Interrupts count from 20 us on. Interrupts that follow each other within 10 ms are one stretch. If a stretch began
 * before the wait, its last interrupt's part is exact; the others count by their share of the time.
 */
#pragma D option quiet
#pragma D option noself

#pragma D param wakeup_one_in int "one thread in this number is looked at: 1, 2, 4, 8 …" 1

/* By its number: the wake-up and the switch then agree without asking a table. A thread that is not looked at costs a
 * comparison. */
inline int looked_at[struct task_struct *T] = !(T->pid & ($wakeup_one_in - 1));

uint64_t throttled[pid_t];

tracker wakeup (struct task_struct *) { threshold = 10ms; limit = 100; }

/* A thread that runs already needs no CPU; one that is about to sleep (on_cpu, no more on_rq) does. */
sdt:sched::sched_waking
/looked_at[args[0]] && (!args[0]->on_rq || !args[0]->on_cpu)/
{
	begin(wakeup, args[0]);
}

sdt:sched::sched_wakeup_new
/looked_at[args[0]]/
{
	begin(wakeup, args[0]);
}

sdt:sched::sched_switch
/looked_at[args[2]]/
{
	end(wakeup, args[2]);
}

/* Preempted: still able to run. */
sdt:sched::sched_switch
/looked_at[args[1]] && (args[0] || !args[3]) && args[1]->pid/
{
	begin(wakeup, args[1]);
	if (task_throttled[args[1]]) /* by when, since waits that are not slow end without a look at this */
		throttled[args[1]->pid] = timestamp;
}

inline int FELT_NS = 20000;
inline int APART_NS = 10000000;

/* A stretch of interrupts, by kind and CPU. It has the time when its first one began, how long all but the last were
 * together, when the last began and ended, and its number or name. */
inline int SOFT = 0;
inline int HARD = 1;
uint64_t felt_from[int, int32_t], felt_ns[int, int32_t], felt_last[int, int32_t], felt_to[int, int32_t];
unsigned int soft_vec[int32_t];
string irq_name[int32_t];

/* One has ended now that began then. */
void felt(int kind, uint64_t since)
{
	int fresh = since - felt_to[kind, cpu] > APART_NS;

	felt_from[kind, cpu] = fresh ? since : felt_from[kind, cpu];
	felt_ns[kind, cpu] = fresh ? 0 : felt_ns[kind, cpu] + felt_to[kind, cpu] - felt_last[kind, cpu];
	felt_last[kind, cpu] = since;
	felt_to[kind, cpu] = timestamp;
}

sdt:irq::softirq_entry
{
	self->soft = timestamp;
}

sdt:irq::softirq_exit
/self->soft && timestamp - self->soft >= FELT_NS/
{
	felt(SOFT, self->soft);
	soft_vec[cpu] = args[0];
}

sdt:irq::irq_handler_entry
{
	self->irq = timestamp;
}

sdt:irq::irq_handler_exit
/self->irq && timestamp - self->irq >= FELT_NS/
{
	felt(HARD, self->irq);
	irq_name[cpu] = stringof(args[1]->name);
}

/* The part of a stretch that is in a wait that began at S and ends now. */
inline uint64_t earlier[uint64_t FROM, uint64_t NS, uint64_t LAST, uint64_t S] =
	FROM >= S || LAST <= FROM ? NS : NS * (LAST - S) / (LAST - FROM);
inline uint64_t share[uint64_t FROM, uint64_t NS, uint64_t LAST, uint64_t TO, uint64_t S] =
	TO <= S ? 0 : LAST <= S ? TO - S : TO - LAST + earlier[FROM, NS, LAST, S];

sdt:sched::sched_process_exit
{
	throttled[tid] = 0;
}

latency:wakeup::slow
/!(args[0]->how & HOW_NOT_ENDED)/
{
	this->soft = share[felt_from[SOFT, cpu], felt_ns[SOFT, cpu], felt_last[SOFT, cpu], felt_to[SOFT, cpu],
	    args[0]->start];
	this->irq = share[felt_from[HARD, cpu], felt_ns[HARD, cpu], felt_last[HARD, cpu], felt_to[HARD, cpu],
	    args[0]->start];
	slow("state",
	    throttled[args[0]->tid] >= args[0]->start ? "throttled" :
	    args[0]->opener_tid == args[0]->tid ? "preempted" : "woken",
	    "prev_tid", tid, "prev_comm", execname,
	    "waker_tid", args[0]->opener_tid, "waker_comm", args[0]->opener_comm, "softirq_ns", this->soft,
	    "softirq", this->soft ? softirq_name[soft_vec[cpu]] : "", "irq_ns", this->irq,
	    "irq", this->irq ? irq_name[cpu] : "");
}
