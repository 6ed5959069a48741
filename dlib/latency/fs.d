#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fs.d: operations of programs on files and folders, from the system call until it is done.
 *
 * The page cache or a device does them. Reads and writes of pipes, sockets and devices are not measured. Mapped files
 * are read by page faults: see fault.d. Every system call of every program costs a little more.
 *
 * Tracker fs: operations of file systems
 *   waits for "an operation of the file system": call, fs
 *   groups by curthread
 *   keys by process: args[0]->comm
 *   syscall: its name
 *   fs: the type of the file system
 *   file: its path; as the system call names it, where that has no open file
 *   ret: what the system call returned
 *   ustack: the caller
 */
#pragma D option quiet
#pragma D option noself
#pragma D option zdefs

tracker fs () { threshold = 10ms; limit = 100; }
self uintptr_t path;

inline int is_file[int TYPE] = TYPE == S_IFREG || TYPE == S_IFDIR;

syscall::read:entry, syscall::pread64:entry, syscall::readv:entry, syscall::preadv:entry, syscall::preadv2:entry,
syscall::write:entry, syscall::pwrite64:entry, syscall::writev:entry, syscall::pwritev:entry, syscall::pwritev2:entry,
syscall::fsync:entry, syscall::fdatasync:entry, syscall::sync_file_range:entry, syscall::syncfs:entry,
syscall::fallocate:entry, syscall::ftruncate:entry, syscall::getdents:entry, syscall::getdents64:entry,
syscall::newfstat:entry, syscall::fchmod:entry, syscall::fchown:entry, syscall::readahead:entry,
syscall::copy_file_range:entry
/is_file[fd_type[(int)arg0]]/
{
	self->begins = 1;
	self->fd = arg0;
	self->path = 0;
}

/* Into a socket, mostly. */
syscall::sendfile64:entry
/is_file[fd_type[(int)arg1]]/
{
	self->begins = 1;
	self->fd = arg1;
	self->path = 0;
}

syscall::open:entry, syscall::creat:entry, syscall::newstat:entry, syscall::newlstat:entry, syscall::access:entry,
syscall::statfs:entry, syscall::truncate:entry, syscall::rename:entry, syscall::link:entry, syscall::unlink:entry,
syscall::symlink:entry, syscall::readlink:entry, syscall::mkdir:entry, syscall::rmdir:entry, syscall::chmod:entry,
syscall::chown:entry, syscall::lchown:entry
{
	self->begins = 1;
	self->fd = -1;
	self->path = arg0;
}

syscall::openat:entry, syscall::openat2:entry, syscall::newfstatat:entry, syscall::statx:entry,
syscall::faccessat:entry, syscall::faccessat2:entry, syscall::renameat:entry, syscall::renameat2:entry,
syscall::linkat:entry, syscall::unlinkat:entry, syscall::readlinkat:entry, syscall::mkdirat:entry,
syscall::fchmodat:entry, syscall::fchmodat2:entry, syscall::fchownat:entry, syscall::utimensat:entry
{
	self->begins = 1;
	self->fd = arg0;
	self->path = arg1;
}

syscall:::entry
/self->begins/
{
	begin(fs);
	self->begins = 0;
}

/* Where none is open that is all. */
syscall:::return
{
	this->name = probefunc;
	end(fs, arg0);
}

/* The file attribute is the whole path if a file was opened. A call with an empty path is about the open file. */
latency:fs::slow
/!(args[0]->how & HOW_NOT_ENDED)/
{
	this->named = self->path ? copyinstr(self->path) : "";
	this->fd = this->named == "" ? (int)self->fd : substr(this->name, 0, 4) == "open" ? (int)args[0]->id : -1;
	this->inode = fd_inode[this->fd];
	slow("syscall", this->name, "fs", this->inode != NULL ? stringof(this->inode->i_sb->s_type->name) : "",
	    "file", this->inode != NULL ? fds[this->fd].fi_pathname : this->named, "ret", (int64_t)args[0]->id,
	    "ustack", jstack(100));
}
