#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * why-stacks.d: as why.d, with the stack of the program that waited. `dwell latency why --stacks` runs it.
 *
 * Usage: why-stacks.d [-p PID|-c COMMAND] [--by 0|1|2] [--over US] [--comm NAME] [--every TIME]
 * A wait is the time between leaving a CPU and getting one again: being woken up late is part of it. With -p or -c
 * threads of this process and its descendants, else all. Needs Linux 6.16: from there on the kernel tells when a thread goes
 * on, in that thread, with its whole stack.
 *
 * Example:
 *   # why-stacks.d -c "sleep 0.3"
 *   0                    sleep                                                 300127480
 *                        shorter                                                    6341
 */
#pragma D option quiet
#pragma D option noself
#pragma D option aggsize=64m
#pragma D option stackframes=48
#pragma D option ustackframes=32
#pragma D param by int "0: all threads in one, 1: by process, 2: by thread" 0
#pragma D param over int "microseconds from which on a wait gets its cause" 10
#pragma D param comm string "only programs of this name" ""
#pragma D param every string "time between tables" 5s

tracker wait (struct task_struct *) { threshold = $over * 1000; }

sdt:::sched_switch
/pid && (!$target || progenyof($target)) && ($comm == "" || execname == $comm)/
{
	begin(wait, args[1]);
}

sdt:::sched_exit_tp
/args[0]/
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
{
	@waits[$by == 2 ? args[0]->tid : $by == 1 ? args[0]->pid : 0, $by ? args[0]->comm : "", why(stack()), ustack()] =
		avg(args[0]->delay);
	@worst[$by == 2 ? args[0]->tid : $by == 1 ? args[0]->pid : 0, $by ? args[0]->comm : "", why(stack()), ustack()] =
		max(args[0]->delay);
}

tick-$every
{
	printa("%6d %-16s %-50s %@12d %@12d %k\n", @waits, @worst);
	printa("%@d %@d\n", @short, @shortmax);
}

END
{
	printa("%6d %-16s %-50s %@12d %@12d %k\n", @waits, @worst);
	printa("%@d %@d\n", @short, @shortmax);
}
