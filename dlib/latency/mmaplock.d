#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mmaplock.d: waits for the lock of a process's address space (mmap_lock), with who had it. Page faults, mmap(2), fork(2) and others take it,
 * often: each of them costs a little more.
 *
 * Attributes of slow events: lock_kind: read or write; holder_tid, holder_comm: who took it last when the wait began: of several readers the last one;
 * owner: the process whose it is; stack: what for.
 */
#pragma D depends_on probe sdt:mmap_lock::mmap_lock_start_locking "Linux 5.11"
#pragma D option quiet
#pragma D option noself

tracker mmaplock () { threshold = 5ms; limit = 100; }

pid_t has[struct mm_struct *];
string comm_of[struct mm_struct *];

self int write;

/* A thread that waits to write reads nothing meanwhile: an interrupt in its time does, which looks for mappings for a user stack. */
inline int by_interrupt[int WRITES] = !WRITES && self->write && pending(mmaplock);

sdt:mmap_lock::mmap_lock_start_locking
/!by_interrupt[args[1]]/
{
	begin(mmaplock);
	self->holder = has[args[0]];
	self->write = args[1];
}

sdt:mmap_lock::mmap_lock_start_locking
/self->holder && !by_interrupt[args[1]]/
{
	self->holder_comm = comm_of[args[0]];
}

sdt:mmap_lock::mmap_lock_acquire_returned
/!by_interrupt[args[1]]/
{
	this->mm = args[0];
	end(mmaplock, !args[2]);
}

sdt:mmap_lock::mmap_lock_acquire_returned
/args[2]/
{
	has[args[0]] = tid;
	comm_of[args[0]] = execname;
}

sdt:mmap_lock::mmap_lock_released
/has[args[0]] == tid/
{
	has[args[0]] = 0;
	comm_of[args[0]] = NULL;
}

latency:mmaplock::slow
/!(args[0]->how & 3)/
{
	slow("lock_kind", self->write ? "mmap_lock (write)" : "mmap_lock (read)", "holder_tid", self->holder, "holder_comm",
	    self->holder ? self->holder_comm : "", "owner", this->mm->owner != NULL ? this->mm->owner->tgid : 0, "stack", stack());
}
