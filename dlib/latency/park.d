#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * park.d: threads of Java that park: ReentrantLock, conditions, queues, futures, latches, idle workers of pools.
 *
 * Usage: park.d -p PID|-c COMMAND
 * Of JVMs with static probes, as Debian's: others have no events. Virtual threads leave their carrier instead of
 * parking it, and are not among them.
 *
 * At the end: how often and how long, by thread.
 *
 * Tracker park: threads of Java that park
 *   waits for "another thread of Java to unpark it": call, ipc
 *   waker_tid, waker_comm: the thread that unparked it last; 0 and "": none did, its time was up
 *   ustack: where the thread parked
 *
 * Example:
 *   # park.d -c "java App"
 *   slow park             20.1 ms  worker 15141/15160 on CPU 1
 *     waker_tid      15153
 *     waker_comm     main
 *   ...
 */
#pragma D option quiet
#pragma D option noself
#pragma D option zdefs

tracker park () { threshold = 1ms; limit = 100; }

pid_t waker_of[uintptr_t];
string waker_name[uintptr_t];

/* Source: Unsafe_Park(), Unsafe_Unpark() of OpenJDK; arg0 is the Parker. */
hotspot$target:::thread-park-begin
{
	begin(park);
	waker_of[arg0] = 0;
	waker_name[arg0] = "";
}

hotspot$target:::thread-unpark
{
	waker_of[arg0] = tid;
	waker_name[arg0] = execname;
}

hotspot$target:::thread-park-end
{
	self->waker = waker_of[arg0];
	self->waker_name = waker_name[arg0];
	end(park);
}

latency:park::all
{
	@park[execname] = sum(args[0]->delay);
	@parks[execname] = count();
}

latency:park::slow
/!(args[0]->how & HOW_NOT_ENDED)/
{
	slow("waker_tid", self->waker, "waker_comm", self->waker_name, "ustack", jstack(60));
}
