#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wakeup.d: sleeps of threads and what ends them: the stack of the sleeper, then that of the waker, for
 * `dwell flame --wakeup`.
 *
 * Usage: wakeup.d [-p PID|-c COMMAND] [--for TIME] [--us N] [--record FILE]
 * With -p or -c sleepers of this process and its descendants, else all. The time is from going to sleep to
 * the wake-up; until the thread runs again it may take longer.
 */
#pragma D option quiet
#pragma D option noself
#pragma D param us int "microseconds from which on a sleep counts" 1
#pragma D param for string "how long" 24h

tracker sleep (struct task_struct *) { threshold = 0; limit = 0; }

sdt:::sched_switch
/pid && !args[0] && args[3] && wanted/
{
	begin(sleep, args[1]);
}

sdt:::sched_waking
{
	end(sleep, args[0]);
}

latency:sleep::all
/args[0]->delay >= $us * 1000/
{
	@wakeup_ns[args[0]->comm, args[0]->pid, args[0]->tid, args[0]->stack, stack(), execname] = sum(args[0]->delay);
}

tick-$for
{
	exit(0);
}
