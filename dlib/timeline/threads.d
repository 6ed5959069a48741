#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threads.d: states of threads for `dwell timeline`: running, waiting for a CPU, and waiting, with the cause.
 *
 * Usage: threads.d [-p PID|-c COMMAND] [--over US] [--irq US] [--for TIME] --record FILE
 * With -p or -c threads of this process and its descendants, else all. A slow event of the tracker "state" is a
 * stretch in which a thread was not on a CPU; between two of them it ran. Attributes: state, as the kernel has it
 * (0x10000: preempted, 0x20000: new); woken: timestamp of the wake-up, or 0; waker_tid, waker_comm; from --over on
 * stack, ustack, condition (1: a futex is waited for as a condition is), timed_out (1: a timer ended the wait, or,
 * while it lasts, will). Events of "life" are threads from fork to exit; code: as wait(2) gives it. Interrupts count
 * wherever they were.
 *
 * From Linux 6.16 on a thread that goes on takes its stacks itself. Before, stack is the one that the kernel keeps of
 * a thread that is switched out, without the functions of locks, and there is no ustack.
 *
 * Example:
 *   # dwell --record run.dwell -s threads.d -c "ls -lR /etc"
 *   # dwell timeline -o run.html run.dwell
 */
#pragma D option quiet
#pragma D option noself
#pragma D option zdefs
#pragma D option stackframes=48
#pragma D option iterrate=1h
#pragma D param over int "microseconds from which on a wait gets its stacks" 100
#pragma D param irq int "microseconds from which on an interrupt counts" 20
#pragma D param for string "how long" 24h

tracker state (struct task_struct *) { threshold = 0; limit = 0; timeout = 200ms; scan = 200ms; size = 65536; }
tracker life (struct task_struct *) { threshold = 0; limit = 0; size = 65536; }
tracker irq () { threshold = $irq * 1000; limit = 0; }
tracker softirq () { threshold = $irq * 1000; limit = 0; }

inline int STATE_DEAD = 0x80;	   /* TASK_DEAD, include/linux/sched.h */
inline int STATE_PREEMPTED = 0x10000; /* beyond the kernel's own bits */
inline int STATE_NEW = 0x20000;

unsigned int state[pid_t];
uint64_t timed_out[pid_t]; /* by thread: when a timer last ended its wait */

sdt:timer::hrtimer_expire_entry
/hrtimer_sleeps[args[0]] != NULL && hrtimer_sleeps[args[0]]->mm != NULL/
{
	timed_out[hrtimer_sleeps[args[0]]->pid] = timestamp;
}

sdt:sched::sched_waking
/pending(state, args[0]) > 0/
{
	woken[args[0]->pid] = timestamp;
	waker[args[0]->pid] = tid;
	waker_name[args[0]->pid] = execname;
}

/* A thread's first time on a CPU does not pass where others go on (if there is such a place). */
sdt:sched::sched_switch
/!sched_has_exit || state[args[2]->pid] == STATE_NEW/
{
	end(state, args[2], 1);
}

sdt:sched::sched_switch
/pid && !(args[3] & STATE_DEAD) && wanted/
{
	begin(state, args[1]);
	state[args[1]->pid] = args[0] ? STATE_PREEMPTED : args[3];
}

sdt:::sched_exit_tp
/arg0/
{
	end(state, curthread);
}

sdt:sched::sched_process_fork
/wanted/
{
	begin(life, args[1]);
	begin(state, args[1]);
	state[args[1]->pid] = STATE_NEW;
	waker[args[1]->pid] = tid;
	waker_name[args[1]->pid] = execname;
}

/* Threads that wait already when tracing begins; those that have ended wait for nothing. */
iter:::task
/pid && !args[0]->on_cpu && !args[0]->exit_state && wanted && !pending(state, args[0])/
{
	begin(state, args[0]);
	state[tid] = task_state[args[0]];
}

latency:state::slow
/(sched_has_exit && args[0]->id == 1) || (!args[0]->how && args[0]->delay < $over * 1000)/
{
	slow("state", state[args[0]->tid], "woken", woken[args[0]->tid], "waker_tid", waker[args[0]->tid],
	    "waker_comm", waker_name[args[0]->tid]);
}

latency:state::slow
/sched_has_exit && args[0]->id == 0 && !args[0]->how && args[0]->delay >= $over * 1000/
{
	slow("state", state[args[0]->tid], "woken", woken[args[0]->tid], "waker_tid", waker[args[0]->tid],
	    "waker_comm", waker_name[args[0]->tid], "condition", futex_call && futex_condition,
	    "timed_out", timed_out[args[0]->tid] >= args[0]->start, "stack", stack(), "ustack", jstack(100));
}

latency:state::slow
/!sched_has_exit && !args[0]->how && args[0]->delay >= $over * 1000/
{
	slow("state", state[args[0]->tid], "woken", woken[args[0]->tid], "waker_tid", waker[args[0]->tid],
	    "waker_comm", waker_name[args[0]->tid], "timed_out", timed_out[args[0]->tid] >= args[0]->start,
	    "stack", args[0]->stack);
}

/* Still waiting: with a stack, so that threads that sleep to the end of the recording have a cause, too. */
latency:state::timeout
{
	slow("state", state[tid], "condition", futex_call && futex_condition, "timed_out", futex_call && futex_timeout,
	    "stack", stack(), "ustack", jstack(100));
}

latency:state::slow
{
	woken[args[0]->tid] = 0;
	waker[args[0]->tid] = 0;
	waker_name[args[0]->tid] = 0;
}

/* The exit of a thread that did not begin here is noted, too. */
sdt:sched::sched_process_exit
/pending(life, curthread) == 0 && wanted/
{
	begin(life, curthread);
}

sdt:sched::sched_process_exit
{
	end(life, curthread);
}

sdt:sched::sched_process_exit
/timed_out[tid]/
{
	timed_out[tid] = 0;
}

latency:life::slow
{
	slow("code", curthread->exit_code);
}

sdt:irq::irq_handler_entry
{
	begin(irq);
}

sdt:irq::irq_handler_exit
{
	this->irq = args[0];
	this->action = args[1];
	end(irq);
}

latency:irq::slow
/!args[0]->how/
{
	slow("irq", this->irq, "name", stringof(this->action->name));
}

sdt:irq::softirq_entry
{
	begin(softirq);
}

sdt:irq::softirq_exit
{
	this->vec = args[0];
	end(softirq);
}

latency:softirq::slow
/!args[0]->how/
{
	slow("name", softirq_name[this->vec]);
}

tick-$for
{
	exit(0);
}
