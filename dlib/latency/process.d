#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.d: new processes and threads, from fork() to their first instruction on a CPU; and exec().
 *
 * Tracker fork: from fork() or clone() to the first time on a CPU
 *   waits for "its first time on a CPU": call, cpu
 *   groups by args[1]
 *   parent_tid, parent_comm: the thread that made it
 *   prev_tid, prev_comm: the thread that had the CPU before
 * Tracker exec: exec(), until the program begins
 *   waits for "the program to begin (exec)": call, process
 *   groups by curthread
 *   ustack: the first instruction of the program
 */
#pragma D option quiet
#pragma D option noself

tracker fork (struct task_struct *) { threshold = 10ms; limit = 100; }
tracker exec () { threshold = 50ms; limit = 100; }

sdt:sched::sched_process_fork
{
	begin(fork, args[1]);
}

sdt:sched::sched_switch
{
	end(fork, args[2]);
}

syscall::execve:entry, syscall::execveat:entry
{
	begin(exec);
}

sdt:sched::sched_process_exec
{
	end(exec);
}

latency:fork::slow
/!(args[0]->how & HOW_NOT_ENDED)/
{
	slow("parent_tid", args[0]->opener_tid, "parent_comm", args[0]->opener_comm, "prev_tid", tid,
	    "prev_comm", execname);
}

latency:exec::slow
/!(args[0]->how & HOW_NOT_ENDED)/
{
	slow("ustack", ustack(1));
}
