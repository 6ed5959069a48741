#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lock.d: locks of the kernel that a thread has to wait for.
 *
 * Tracker lock, default 6: kernel locks
 *   waits for "{lock_kind}": locked, lock
 *   lock: its address
 *   lock_kind = mutex | spinlock | rtmutex | percpu-rwsem | rwsem read | rwsem write | semaphore
 *   holder_tid, holder_comm: the thread that had the lock when the wait began; known of a mutex, an rtmutex, and an
 *     rwsem that is held for writing
 *   cause: what the thread did, in words
 *   stack: where it waited
 */
#pragma D depends_on probe sdt:lock::contention_begin "Linux 5.19"
#pragma D option quiet
#pragma D option noself

tracker lock () { threshold = 5ms; limit = 100; }

/*
 * What a thread, or an interrupt in its time, spins for while it waits for a lock is part of that wait: one wait for
 * each thread, kept with it, costs much less than a table of threads and locks. A thread
 * that sleeps waits for one lock only, except within a percpu-rwsem's wait for its readers. So a second wait means that
 * the end of the first was lost, and replaces it. A wait that begins after a second of spinning does so, too.
 */
sdt:lock::contention_begin
/!pending(lock) || (self->lock != args[0] &&
    (args[1] != 1 ? !(self->kind & 0x10) : self->kind == 1 && pending(lock) > 1000000000))/
{
	begin(lock);
	self->lock = args[0];
	self->kind = args[1];
}

/* Of a lock that is slept for: a mutex is spun for first. Source: LCB_F_*, include/trace/events/lock.h. */
sdt:lock::contention_begin
/args[1] != 1 && self->lock == args[0]/
{
	self->kind = args[1];
	self->owner = contention_holder[(uintptr_t)args[0], args[1]];
	self->holder = self->owner != NULL ? self->owner->pid : 0;
}

sdt:lock::contention_end
/self->lock == args[0]/
{
	end(lock, args[1]);
	self->lock = 0;
}

latency:lock::slow
/!(args[0]->how & HOW_NOT_ENDED)/
{
	this->holder = self->kind != 1 && self->owner ? self->holder : 0; /* a bad owner ends the clause between the two */
	slow("lock", self->lock, "lock_kind", self->kind & 0x20 ? "mutex" : self->kind & 1 ? "spinlock" :
	    self->kind & 8 ? "rtmutex" : self->kind & 0x10 ? "percpu-rwsem" : self->kind & 2 ? "rwsem read" :
	    self->kind & 4 ? "rwsem write" : "semaphore", "holder_tid", this->holder, "holder_comm",
	    this->holder ? stringof(self->owner->comm) : "", "cause", why(stack()),
	    "stack", stack());
}
