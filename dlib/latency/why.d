#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * why.d: what threads wait for, in words: the table of LatencyTOP.
 *
 * `dwell latency why` runs it and draws its own table.
 *
 * Usage: why.d [-p PID|-c COMMAND] [--by 0|1|2|3] [--over US] [--comm NAME] [--every TIME] [--stacks 1]
 * A wait is the time between leaving a CPU and getting one again: being woken up late is part of it. With -p or -c
 * threads of this process and its descendants, else all.
 *
 * From Linux 6.16 on the kernel tells when a thread goes on, in that thread, with its whole stack. Before, the stack is
 * the one that the kernel keeps of a thread that is switched out: without the functions of the scheduler and of locks.
 * So a wait for a lock looks like one of the function that took the lock. Threads that lost the CPU do not count. The
 * stacks of programs (--stacks 1) are available only in the thread that goes on.
 *
 * Example:
 *   # why.d -c "sleep 0.3"
 *   0                    sleep                                                 300127480
 *                        shorter                                                    6341
 */
#pragma D option quiet
#pragma D option noself
#pragma D option zdefs
#pragma D option aggsize=64m
#pragma D option stackframes=48
#pragma D param by int "0: all threads in one, 1: by process, 2: by thread, 3: by what -x by tells" 0
#pragma D param over int "microseconds from which on a wait gets its cause" 10
#pragma D param comm string "only programs of this name" ""
#pragma D param stacks int "1: with the stacks of the programs that wait (Linux 6.16)" 0
#pragma D param names int "1: stacks of waits of 100 us and more as records, too: names of a language runtime are read when these arrive" 0
#pragma D param why_one_in int "one thread in this number is looked at: 1, 2, 4, 8 …" 1
#pragma D param every string "time between tables" 5s

/* Frames of the program's stack in the key of a wait for a futex or for events. The stack of an idle worker is short.
 * Without sched_has_exit no clause takes that stack, and a key of kernels before 5.11 has 512 bytes at most: 1. */
inline int FUTEX_FRAMES = sched_has_exit ? 24 : 1;

/* By its number: both ends of a wait then agree without asking a table. */
inline int waited_at[struct task_struct *T] = !(T->pid & ($why_one_in - 1));

tracker wait (struct task_struct *) { threshold = $over * 1000; }

/* By thread: when a timer last ended its wait. A time before the wait began belongs to an earlier wait. */
uint64_t timed_out[pid_t];
/* By thread: when it last left the CPU although it could run, which its stack does not always tell. A thread that was
 * woken up and has to let another one go first leaves within the same function. On a busy machine, 118 of 19,000
 * futexes that a timer ended were such. */
uint64_t runnable[pid_t];

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

sdt:sched::sched_process_exit
/runnable[tid]/
{
	runnable[tid] = 0;
}

sdt:::sched_switch
/!sched_has_exit && waited_at[args[2]]/
{
	end(wait, args[2]);
}

sdt:::sched_switch
/pid && (sched_has_exit || (!args[0] && args[3])) && waited_at[args[1]] && wanted && ($comm == "" || execname == $comm)/
{
	begin(wait, args[1]);
}

sdt:::sched_switch
/sched_has_exit && pid && !args[0] && !args[3] && waited_at[args[1]] && wanted && ($comm == "" || execname == $comm)/
{
	runnable[tid] = timestamp;
}

sdt:::sched_exit_tp
/arg0 && waited_at[curthread]/
{
	end(wait, curthread);
}

latency:wait::all
/args[0]->delay < $over * 1000/
{
	@short = avg(args[0]->delay);
	@shortmax = max(args[0]->delay);
}

latency:wait::slow
/sched_has_exit && !$stacks && !futex_call && !epoll_call/
{
	this->whose = $by == 3 ? group_id : $by == 2 ? args[0]->tid : $by == 1 ? args[0]->pid : 0;
	this->could = runnable[args[0]->tid] >= args[0]->start ? 4 : 0;
	@waits[this->whose, $by == 3 ? group_name : $by ? args[0]->comm : "", why(stack()), this->could] =
	    avg(args[0]->delay);
	@worst[this->whose, $by == 3 ? group_name : $by ? args[0]->comm : "", why(stack()), this->could] =
	    max(args[0]->delay);
}

/* For what a futex is, the registers and the program's functions tell, and whether a timer ended the wait. */
latency:wait::slow
/sched_has_exit && !$stacks && (futex_call || epoll_call)/
{
	this->whose = $by == 3 ? group_id : $by == 2 ? args[0]->tid : $by == 1 ? args[0]->pid : 0;
	this->futex = (futex_condition ? 1 : 0) | (timed_out[args[0]->tid] >= args[0]->start ? 2 : 0) |
	    (runnable[args[0]->tid] >= args[0]->start ? 4 : 0) | (ends_with_process ? 8 : 0);
	@futexes[this->whose, $by == 3 ? group_name : $by ? args[0]->comm : "", why(stack()), this->futex,
	    jstack(FUTEX_FRAMES)] = avg(args[0]->delay);
	@slowest[this->whose, $by == 3 ? group_name : $by ? args[0]->comm : "", why(stack()), this->futex,
	    jstack(FUTEX_FRAMES)] = max(args[0]->delay);
}

/* Keys of old kernels have 512 bytes at most: no room for what is not used. */
latency:wait::slow
/sched_has_exit && $stacks/
{
	this->whose = $by == 3 ? group_id : $by == 2 ? args[0]->tid : $by == 1 ? args[0]->pid : 0;
	this->futex =
	    (futex_call ? (futex_condition ? 1 : 0) | (timed_out[args[0]->tid] >= args[0]->start ? 2 : 0) : 0) |
	    (runnable[args[0]->tid] >= args[0]->start ? 4 : 0) | (ends_with_process ? 8 : 0);
	@stacked[this->whose, $by == 3 ? group_name : $by ? args[0]->comm : "", why(stack()), jstack($stacks ? 32 : 1),
	    this->futex] = avg(args[0]->delay);
	@longest[this->whose, $by == 3 ? group_name : $by ? args[0]->comm : "", why(stack()), jstack($stacks ? 32 : 1),
	    this->futex] = max(args[0]->delay);
}

latency:wait::slow
/sched_has_exit && $names && args[0]->delay >= 100000/
{
	jstack($names ? 32 : 1);
}

latency:wait::slow
/!sched_has_exit/
{
	this->whose = $by == 3 ? group_id : $by == 2 ? args[0]->tid : $by == 1 ? args[0]->pid : 0;
	@waits[this->whose, $by == 3 ? group_name : $by ? args[0]->comm : "", why(args[0]->stack),
	    timed_out[args[0]->tid] >= args[0]->start ? 2 : 0] = avg(args[0]->delay);
	@worst[this->whose, $by == 3 ? group_name : $by ? args[0]->comm : "", why(args[0]->stack),
	    timed_out[args[0]->tid] >= args[0]->start ? 2 : 0] = max(args[0]->delay);
}

tick-$every
{
	printa("%6d %-16s %-50s %@12d %@12d\n", @waits, @worst);
	printa("%6d %-16s %-50s %@12d %@12d\n", @futexes, @slowest);
	printa("%6d %-16s %-50s %@12d %@12d %k\n", @stacked, @longest);
	printa("%@d %@d\n", @short, @shortmax);
}

END
{
	printa("%6d %-16s %-50s %@12d %@12d\n", @waits, @worst);
	printa("%6d %-16s %-50s %@12d %@12d\n", @futexes, @slowest);
	printa("%6d %-16s %-50s %@12d %@12d %k\n", @stacked, @longest);
	printa("%@d %@d\n", @short, @shortmax);
}
