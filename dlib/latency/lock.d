#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lock.d: locks of the kernel that a thread has to wait for.
 *
 * Tracker lock, default 6: kernel locks
 *   waits for "{lock_kind}": locked, lock
 *   costs 21 ns a switch; left out 3
 *   groups by curthread
 *   keys by process: args[0]->comm
 *   lock: its address
 *   lock_kind = mutex | spinlock | rtmutex | percpu-rwsem | rwsem read | rwsem write | semaphore
 *   holder_tid, holder_comm: the thread that had the lock when the wait began; known of a mutex, an rtmutex, and an
 *     rwsem that is held for writing. For other locks, which several threads may have: the thread that
 *     released it last, if functions of the kernel can be traced
 *   waker_tid, waker_comm: the thread that ended the wait, where that is all that is known
 *   cause: what the thread did, in words
 *   stack: where it waited
 */
#pragma D depends_on probe sdt:lock::contention_begin,fbt::__mutex_lock_slowpath:entry "Linux 5.19, or functions of the kernel that can be traced"
#pragma D option quiet
#pragma D option noself
#pragma D option zdefs

tracker lock () { threshold = 5ms; limit = 100; }

/* The lock that a thread waits for and that has no noted owner; the thread that woke it, and whether that thread
 * released the lock then. */
uintptr_t wanted_lock[pid_t];
pid_t freed_by[pid_t];
string freed_name[pid_t];
int freed_surely[pid_t];

/*
 * A thread, or an interrupt in its time, may spin for another lock while it waits. This is a part of its wait. One wait
 * for each thread, kept with it, costs much less than a table of threads and locks. A thread that sleeps waits for one
 * lock only, except within a percpu-rwsem's wait for its readers. So a second wait means that the end of the first was
 * lost, and replaces it. A wait that begins after a second of spinning does so, too.
 */
sdt:lock::contention_begin
/!pending(lock) || (self->lock != (uintptr_t)arg0 &&
    ((unsigned int)arg1 != 1 ? !(self->kind & 0x10) : self->kind == 1 && pending(lock) > 1000000000))/
{
	begin(lock);
	self->lock = (uintptr_t)arg0;
	self->kind = (unsigned int)arg1;
}

/* A lock that the thread sleeps for: a mutex is spun for first. Source: LCB_F_*, include/trace/events/lock.h. */
sdt:lock::contention_begin
/(unsigned int)arg1 != 1 && self->lock == (uintptr_t)arg0/
{
	self->kind = (unsigned int)arg1;
	self->owner = contention_holder[self->lock, self->kind];
	self->holder = self->owner != NULL ? self->owner->pid : 0;
}

/* Before there were these tracepoints: the functions in which a thread waits. */
fbt::__mutex_lock_slowpath:entry, fbt::__mutex_lock_killable_slowpath:entry,
fbt::__mutex_lock_interruptible_slowpath:entry, fbt::rwsem_down_read_slowpath:entry,
fbt::rwsem_down_write_slowpath:entry
/!lock_has_tracepoints/
{
	begin(lock);
	self->lock = (uintptr_t)arg0;
	self->kind = probefunc == "rwsem_down_read_slowpath" ? 2 : probefunc == "rwsem_down_write_slowpath" ? 4 : 0x20;
	self->owner = contention_holder[self->lock, self->kind];
	self->holder = self->owner != NULL ? self->owner->pid : 0;
}

sdt:lock::contention_begin
/self->lock && self->kind != 1 && !(self->kind & 0x20) && self->owner == NULL/
{
	wanted_lock[tid] = self->lock;
}

fbt::rwsem_down_read_slowpath:entry, fbt::rwsem_down_write_slowpath:entry
/!lock_has_tracepoints && self->owner == NULL/
{
	wanted_lock[tid] = self->lock;
}

/* These functions release a lock that a thread waits for. A thread that waits itself makes others go on, too, and is
 * not meant: neither is one that came upon a free lock (arg1, 2). Source: kernel/locking/rwsem.c, enum
 * rwsem_wake_type. */
fbt::rwsem_mark_wake:entry
/arg1 == 0 && self->lock != (uintptr_t)arg0/
{
	self->frees = (uintptr_t)arg0;
}

fbt::percpu_up_write:entry, fbt::up:entry
{
	self->frees = (uintptr_t)arg0;
}

sdt:sched::sched_waking
/wanted_lock[args[0]->pid] && !self->lock/
{
	freed_by[args[0]->pid] = tid;
	freed_name[args[0]->pid] = execname;
	freed_surely[args[0]->pid] = self->frees == wanted_lock[args[0]->pid];
}

sdt:lock::contention_end
/self->lock == (uintptr_t)arg0/
{
	end(lock, (int)arg1);
	self->lock = 0;
}

fbt::__mutex_lock_slowpath:return, fbt::__mutex_lock_killable_slowpath:return,
fbt::__mutex_lock_interruptible_slowpath:return, fbt::rwsem_down_read_slowpath:return,
fbt::rwsem_down_write_slowpath:return
/!lock_has_tracepoints && self->lock/
{
	end(lock, 0);
	self->lock = 0;
}

latency:lock::slow
/!(args[0]->how & HOW_NOT_ENDED)/
{
	/* A bad owner ends the clause between the two. */
	this->holder = self->kind != 1 && self->owner ? self->holder : 0;
	this->freed = !this->holder && args[0]->id == 0 ? freed_by[tid] : 0;
	this->sure = this->freed && freed_surely[tid];
	slow("lock", self->lock, "lock_kind", self->kind & 0x20 ? "mutex" : self->kind & 1 ? "spinlock" :
	    self->kind & 8 ? "rtmutex" : self->kind & 0x10 ? "percpu-rwsem" : self->kind & 2 ? "rwsem read" :
	    self->kind & 4 ? "rwsem write" : "semaphore", "holder_tid", this->sure ? this->freed : this->holder,
	    "holder_comm", this->sure ? freed_name[tid] : this->holder ? stringof(self->owner->comm) : "",
	    "waker_tid", this->sure ? 0 : this->freed, "waker_comm", this->freed && !this->sure ? freed_name[tid] : "",
	    "cause", why(stack()), "stack", stack());
}

/* When the wait is over, its entries are removed. */
sdt:lock::contention_end
/!self->lock && wanted_lock[tid]/
{
	wanted_lock[tid] = 0;
	freed_by[tid] = 0;
	freed_name[tid] = 0;
	freed_surely[tid] = 0;
}

fbt::rwsem_down_read_slowpath:return, fbt::rwsem_down_write_slowpath:return
/!lock_has_tracepoints && wanted_lock[tid]/
{
	wanted_lock[tid] = 0;
	freed_by[tid] = 0;
	freed_name[tid] = 0;
	freed_surely[tid] = 0;
}
