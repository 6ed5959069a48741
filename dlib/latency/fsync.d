#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fsync.d: system calls that wait until data is on a device, such as fsync().
 *
 * They are fsync(), fdatasync(), sync_file_range(), msync(), sync() and syncfs(). At the end: how many and how long,
 * by program and system call.
 *
 * Tracker fsync: data to be on the disk
 *   waits for "the file to be on the disk": call, fs
 *   groups by curthread
 *   keys by process: args[0]->comm
 *   syscall: its name
 *   file: its path
 *   ustack: the caller
 */
#pragma D option quiet
#pragma D option noself

tracker fsync () { threshold = 10ms; limit = 100; }

syscall::fsync:entry, syscall::fdatasync:entry, syscall::sync_file_range:entry, syscall::msync:entry,
syscall::sync:entry, syscall::syncfs:entry
{
	begin(fsync);
	self->fd = arg0;
}

syscall::fsync:return, syscall::fdatasync:return, syscall::sync_file_range:return, syscall::msync:return,
syscall::sync:return, syscall::syncfs:return
{
	this->name = probefunc;
	end(fsync, arg0);
}

latency:fsync::all
{
	@fsync[execname, this->name] = sum(args[0]->delay);
	@fsyncs[execname, this->name] = count();
}

latency:fsync::slow
/!(args[0]->how & HOW_NOT_ENDED)/
{
	slow("syscall", this->name, "file", fds[(int)self->fd].fi_pathname, "ustack", jstack(100));
}
