#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mmaplock.d: waits for the lock of a process's address space (mmap_lock).
 *
 * Page faults, mmap(2), fork(2) and others take it often: each of them costs a little more.
 *
 * Tracker mmaplock: locks of address spaces
 *   waits for "{lock_kind}": locked, lock
 *   groups by curthread
 *   keys by process: args[0]->comm
 *   lock_kind = mmap_lock (read) | mmap_lock (write)
 *   holder_tid, holder_comm: the thread that took the lock last before the wait began; with several readers, the last
 *     reader
 *   owner: the process that has the address space
 *   stack: what the thread needed the lock for
 */
#pragma D depends_on probe sdt:mmap_lock::mmap_lock_start_locking "Linux 5.11"
#pragma D option quiet
#pragma D option noself

tracker mmaplock () { threshold = 5ms; limit = 100; }

pid_t has[struct mm_struct *];
string comm_of[struct mm_struct *];

self int write, inner;

/*
 * A thread that waits asks for nothing meanwhile: a program that takes user stacks does in its name, in an interrupt
 * or where the scheduler has tracepoints. The program only reads, and does not wait (bpf_find_vma()). But the end of
 * the wait itself may not have been seen: after a second it is forgotten.
 */
inline int FORGOTTEN_NS = 1000000000;

sdt:mmap_lock::mmap_lock_start_locking
{
	this->open = pending(mmaplock);
	this->inner = !args[1] && this->open && this->open < FORGOTTEN_NS;
}

sdt:mmap_lock::mmap_lock_start_locking
/this->inner/
{
	self->inner++;
}

sdt:mmap_lock::mmap_lock_start_locking
/!this->inner/
{
	begin(mmaplock);
	self->inner = 0;
	self->holder = has[args[0]];
	self->write = args[1];
}

sdt:mmap_lock::mmap_lock_start_locking
/self->holder && !this->inner/
{
	self->holder_comm = comm_of[args[0]];
}

sdt:mmap_lock::mmap_lock_acquire_returned
/!self->inner/
{
	this->mm = args[0];
	end(mmaplock, !args[2]);
}

sdt:mmap_lock::mmap_lock_acquire_returned
/self->inner/
{
	self->inner--;
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
/!(args[0]->how & HOW_NOT_ENDED)/
{
	slow("lock_kind", self->write ? "mmap_lock (write)" : "mmap_lock (read)",
	    "holder_tid", self->holder, "holder_comm", self->holder ? self->holder_comm : "",
	    "owner", this->mm->owner != NULL ? this->mm->owner->tgid : 0, "stack", stack());
}
