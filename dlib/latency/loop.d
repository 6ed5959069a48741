#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loop.d: event loops that are held up (Node, libuv, and others that wait by epoll).
 *
 * While one function runs, all else waits.
 *
 * A turn is from the end of epoll_wait() or epoll_pwait() to the thread's next one: what became ready meanwhile waits
 * at most as long as the turn. The stack names the function that holds the loop. It is taken when the turn reaches the
 * threshold: at the first sample after that (199 a second), or at the end of a wait within the turn. With -p or -c the
 * threads of this process and its descendants, else all.
 *
 * Tracker loop: turns of event loops
 *   waits for "the end of a turn of its event loop": call, cpu
 *   groups by curthread
 *   wakeups: how many descriptors were ready when the turn began
 *
 * Tracker held: event loops that are held up by a function
 *   waits for "what holds its event loop": call, cpu
 *   groups by curthread
 *   ustack: what ran, or has waited, when the turn became a slow one
 *
 * Example:
 *   # loop.d -c "node app.js"
 *   slow held             20.4 ms  node 13696/13696 on CPU 1
 *     ustack
 *                      compute at /srv/app.js:3:62
 *   ...
 */
#pragma D option quiet
#pragma D option noself

tracker loop () { threshold = 20ms; limit = 100; }
tracker held () { threshold = 20ms; limit = 100; }

syscall::epoll_wait:entry, syscall::epoll_pwait:entry, syscall::epoll_pwait2:entry
/self->turn/
{
	end(loop);
	self->turn = 0;
}

syscall::epoll_wait:return, syscall::epoll_pwait:return, syscall::epoll_pwait2:return
/wanted/
{
	self->turn = timestamp;
	self->ready = arg1;
	begin(loop);
	begin(held);
}

profile-199hz
/self->turn && pending(held) >= threshold(held)/
{
	end(held);
}

sched:::on-cpu
/self->turn && pending(held) >= threshold(held)/
{
	end(held);
}

latency:loop::slow
/!(args[0]->how & HOW_NOT_ENDED)/
{
	slow("wakeups", self->ready);
}

latency:held::slow
/!(args[0]->how & HOW_NOT_ENDED)/
{
	slow("ustack", jstack(100));
}
