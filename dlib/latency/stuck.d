#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stuck.d: threads that are blocked right now: since when, on what, and the holder of the lock.
 *
 * Usage: stuck.d [--every 1] [--over MS]
 * Threads that wait and cannot be interrupted (D), are stopped (T, t), or wait for a lock of the kernel; with
 * --every 1 all that do not run. FOR is how long ago the thread ran last; what it waits for is on top of its kernel
 * stack. dwell latency stuck is a view of this program, with causes in words and chains.
 *
 * The threads are walked twice: in the first walk the processes are met whose user stacks are taken in the second.
 *
 * Example:
 *   # stuck.d
 *       PID    TID COMMAND          S         FOR WAITS FOR
 *      4711   4714 waiter           D     1065 ms mutex of 4713 holder
 *
 *                 vmlinux`anon_pipe_write+0x43
 *                 vmlinux`vfs_write+0x400
 *   ...
 */
#pragma D option quiet
#pragma D option noself
#pragma D option iterrate=150ms
#pragma D option stackframes=32
#pragma D option unwindsize=64m
#pragma D option strsize=80
#pragma D param every int "1: all threads that do not run, not only those that are stuck" 0
#pragma D param over int "milliseconds from which on a thread is shown" 100
#pragma D param raw int "1: as dwell latency stuck reads it" 0

int walks, met;

inline int is_stopped[char L] = L == 'T' || L == 't';
inline int is_stuck[struct task_struct *T, char L] = L == 'D' || is_stopped[L] || blocker_word(T) != 0;
inline int is_wanted[struct task_struct *T] = !T->on_cpu && thread_letter[T] != 'Z' && thread_letter[T] != 'X' &&
	($every || is_stuck[T, thread_letter[T]]);
/* In the kind of lock: the record of the waiter on its stack tells it, and no note of the kernel's. */
inline int LOCK_FOUND = 8;

iter:::task
/walks == 0 && curthread->mm != NULL && is_wanted[curthread]/
{
	met += ustackdepth;
}

iter:::done
/walks == 0 && !$raw/
{
	printf("%7s %6s %-16s %s %11s %s\n", "PID", "TID", "COMMAND", "S", "FOR", "WAITS FOR");
}

iter:::task
/walks == 1 && !$raw && is_wanted[curthread] && off_cpu_ns(curthread) / 1000000 >= $over/
{
	this->w = blocker_word(curthread);
	this->k = kind_of_blocker[this->w];
	this->h = holder_of_blocker[this->w];
	printf("%7d %6d %-16s %c %8d ms %s%s%s%s\n", pid, tid, execname, thread_letter[curthread],
	       off_cpu_ns(curthread) / 1000000, blocker_kind_name[this->k],
	       this->h == NULL ? "" : shared_blocker[this->w] ? ", last taken by " : " of ",
	       this->h == NULL ? "" : strjoin(lltostr(this->h->pid), " "),
	       this->h == NULL ? "" : this->h->comm);
	stack();
	jstack(32);
}

/* In the order of src/latency/cause/stuck.def. */
iter:::task
/walks == 1 && $raw && is_wanted[curthread]/
{
	trace(pid);
	trace(tid);
	trace(execname);
	trace(curthread->group_leader->comm);
	trace(thread_letter[curthread]);
	trace(off_cpu_ns(curthread));
	this->w = blocker_word(curthread);
	trace(kind_of_blocker[this->w] | (blocker_found[curthread, this->w] ? LOCK_FOUND : 0));
	trace(lock_of_blocker[this->w]);
	this->h = holder_of_blocker[this->w];
	trace(this->h == NULL ? 0 : this->h->tgid);
	trace(this->h == NULL ? 0 : this->h->pid);
	trace(this->h == NULL ? "" : this->h->comm);
	trace(shared_blocker[this->w]);
	trace(curthread->in_iowait);
	trace((curthread->flags & (PF_MEMALLOC | PF_KSWAPD)) == PF_MEMALLOC);
	trace(futex_call ? (futex_condition ? 1 : 0) | (futex_timeout ? 2 : 0) : 0);
	trace(cgroup);
	trace(container);
	stack();
	jstack(32);
}

iter:::done
/walks++ == 1/
{
	exit(0);
}
