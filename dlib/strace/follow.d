/* SPDX-License-Identifier: Apache-2.0 */
/*
 * follow.d: the threads that `dwell strace` follows, their signals and their ends.
 *
 * src/strace/program.c writes strace_begins(): is this call, of a thread that is not followed, where that begins?
 */
#pragma D option quiet
#pragma D param follow int "1: threads and children, too" 0

int strace_on[struct task_struct *]; /* threads that are followed */

sdt:::sys_enter
/strace_begins(args[1])/
{
	strace_on[curthread] = 1;
}

sdt:::sched_process_fork
/$follow && strace_on[args[0]]/
{
	strace_on[args[1]] = 1;
	trace(13); trace((int)args[1]->pid);
}

/* The kernel has its siginfo begin as user space's does. */
sdt:::signal_deliver
/strace_on[curthread]/
{
	trace(10); trace((int)tid); trace((int)args[0]); tracemem(args[1], 48);
}

/* A signal that is ignored: a debugger sees it, too. 1: TRACE_SIGNAL_IGNORED. */
sdt:::signal_generate
/args[4] == 1 && (uint64_t)args[1] > 1 && strace_on[args[2]]/
{
	trace(11); trace((int)args[2]->pid); trace((int)args[0]); trace(task_state[args[2]] != 0);
	tracemem(args[1], 48);
}

/* A signal that ends a process by default is not delivered any more: the kernel ends the process at once. 0:
 * TRACE_SIGNAL_DELIVERED. */
sdt:::signal_generate
/args[4] == 0 && (uint64_t)args[1] > 1 && strace_on[args[2]]/
{
	trace(14); trace((int)args[2]->tgid); trace((int)args[0]); tracemem(args[1], 48);
}

/* From the kernel for the current process, SEND_SIG_NOINFO: it becomes one from itself. */
sdt:::signal_generate
/args[4] == 0 && (uint64_t)args[1] == 0 && strace_on[args[2]]/
{
	trace(15); trace((int)args[2]->tgid); trace((int)args[0]); trace((int)pid); trace((int)uid);
}

sdt:::sched_process_exit
/strace_on[curthread]/
{
	trace(12); trace((int)tid); trace((int)pid); trace((int)curthread->exit_code);
	strace_on[curthread] = 0;
}
