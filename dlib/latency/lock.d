#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lock.d: locks of the kernel that a thread has to wait for.
 *
 * Attributes of slow events: lock: its address; lock_kind; holder_tid, holder_comm: who had it when the wait began (a mutex, or a
 * semaphore that is held for writing); stack: where the thread waited.
 */
#pragma D option quiet
#pragma D option noself

tracker lock (pid_t, void *) { threshold = 5ms; limit = 100; }

/* Source: LCB_F_*, include/trace/events/lock.h; lower bits of an owner are flags. */
sdt:lock::contention_begin
/!pending(lock, tid, args[0])/
{
	begin(lock, tid, args[0]);
}

/* Of a lock that is slept for; while a thread waits for one it may still have to spin for another. */
sdt:lock::contention_begin
/args[1] != 1/
{
	self->lock = args[0];
	self->kind = args[1];
	self->owner = args[1] & 0x20 ? ((struct mutex *)args[0])->owner.counter :
	    args[1] & 0x6 && !(args[1] & 0x18) ? ((struct rw_semaphore *)args[0])->owner.counter : 0;
	self->owner = self->owner & 1 && !(self->kind & 0x20) ? 0 : self->owner & ~7;
	self->holder = self->owner ? ((struct task_struct *)self->owner)->pid : 0;
}

sdt:lock::contention_end
{
	end(lock, tid, args[0], args[1]);
}

latency:lock::slow
/!(args[0]->how & 3)/
{
	this->kind = self->lock == args[2] ? self->kind : 1;
	this->holder = self->lock == args[2] ? self->holder : 0;
	slow("lock", args[2], "lock_kind", this->kind & 0x20 ? "mutex" : this->kind & 1 ? "spinlock" :
	    this->kind & 8 ? "rtmutex" : this->kind & 0x10 ? "percpu-rwsem" : this->kind & 2 ? "rwsem read" :
	    this->kind & 4 ? "rwsem write" : "semaphore", "holder_tid", this->holder, "holder_comm",
	    this->holder ? stringof(((struct task_struct *)self->owner)->comm) : "", "cause", why(stack()),
	    "stack", stack());
}
