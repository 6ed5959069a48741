#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * filelock.d: locks of files that another process has: flock(2), and record locks of fcntl(2).
 *
 * Tracker filelock: locks of files
 *   waits for "{lock_kind}": locked, lock
 *   groups by curthread
 *   keys by process: args[0]->comm
 *   lock_kind = file lock (flock) | file lock (fcntl)
 *   file: its path
 *   holder_tid: the process that has the lock
 *   holder_comm: its name, if it took a lock since the start of the run
 *   given_up: 1: the thread did not get the lock
 *   ustack: the caller
 */
#pragma D option quiet
#pragma D option noself

tracker filelock () { threshold = 10ms; limit = 100; }

string taker[pid_t];

/* Tried again and again: from when it is put off first until it is there, or given up. */
sdt:filelock::flock_lock_inode, sdt:filelock::posix_lock_inode
/args[2] == FILE_LOCK_DEFERRED && !pending(filelock)/
{
	begin(filelock);
	self->holder = file_lock_holder[args[1]] > 0 ? file_lock_holder[args[1]] : 0;
	self->inode = args[0];
	self->flock = probename == "flock_lock_inode";
}

sdt:filelock::flock_lock_inode, sdt:filelock::posix_lock_inode
/args[2] == 0/
{
	taker[pid] = curthread->group_leader->comm;
	end(filelock);
}

syscall::flock:return, syscall::fcntl:return
{
	end(filelock, 1);
}

latency:filelock::slow
/!(args[0]->how & HOW_NOT_ENDED)/
{
	slow("lock_kind", self->flock ? "file lock (flock)" : "file lock (fcntl)", "file", inode_path(self->inode),
	    "holder_tid", self->holder, "holder_comm", taker[self->holder], "given_up", args[0]->id,
	    "ustack", jstack(100));
}
