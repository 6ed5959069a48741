#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fsslower.d: operations on files that take longer than some milliseconds, by file system.
 *
 * Topic: Files
 * Usage: fsslower.d [--ms N] [--fs TYPE]
 * read, write and fsync of regular files, and open, as system calls.
 *
 * TIME  when it returned      PID, COMMAND  the process       FS  type of the file system
 * OP    open, read, write, fsync                      FILE  the path
 *
 * Example:
 *   # fsslower.d --ms 1 -c "dd if=/dev/zero of=/tmp/dwell.example bs=64k count=20 conv=fsync"
 *   TIME                     PID COMMAND          FS       OP          MS FILE
 *   2026 Nov 26 11:49:27    9131 dd               ext4     open         1 /tmp/c3
 *   2026 Nov 26 11:49:27    9131 dd               ext4     fsync        1 /tmp/c3
 */
#pragma D option quiet
#pragma D param ms int "milliseconds from which on an operation is shown" 10
#pragma D param fs string "only this type of file system: ext4" ""

BEGIN
{
	printf("%-20s %7s %-16s %-8s %-5s %8s %s\n", "TIME", "PID", "COMMAND", "FS", "OP", "MS", "FILE");
}

syscall::read:entry, syscall::pread64:entry, syscall::readv:entry, syscall::preadv:entry,
syscall::preadv2:entry, syscall::write:entry, syscall::pwrite64:entry, syscall::writev:entry,
syscall::pwritev:entry, syscall::pwritev2:entry, syscall::fsync:entry, syscall::fdatasync:entry
/wanted/
{
	self->fd = (int)arg0 + 1;
	self->start = timestamp;
}

syscall::open:entry, syscall::openat:entry, syscall::openat2:entry
/wanted/
{
	self->start = timestamp;
}

syscall::open:return, syscall::openat:return, syscall::openat2:return
/self->start && !errno/
{
	self->fd = (int)arg0 + 1;
}

syscall::read:return, syscall::pread64:return, syscall::readv:return, syscall::preadv:return,
syscall::preadv2:return, syscall::write:return, syscall::pwrite64:return, syscall::writev:return,
syscall::pwritev:return, syscall::pwritev2:return, syscall::fsync:return, syscall::fdatasync:return,
syscall::open:return, syscall::openat:return, syscall::openat2:return
/self->start && self->fd && timestamp - self->start >= $ms * 1000000 &&
    fd_type[self->fd - 1] == S_IFREG &&
    ($$fs == "" || $$fs == fds[self->fd - 1].fi_fs)/
{
	printf("%-20Y %7d %-16s %-8s %-5s %8d %s\n", walltimestamp, pid, execname, fds[self->fd - 1].fi_fs,
	    strstr(probefunc, "read") != NULL ? "read" : strstr(probefunc, "write") != NULL ? "write" :
	    strstr(probefunc, "sync") != NULL ? "fsync" : "open", (timestamp - self->start) / 1000000,
	    fds[self->fd - 1].fi_pathname);
}

syscall::read:return, syscall::pread64:return, syscall::readv:return, syscall::preadv:return,
syscall::preadv2:return, syscall::write:return, syscall::pwrite64:return, syscall::writev:return,
syscall::pwritev:return, syscall::pwritev2:return, syscall::fsync:return, syscall::fdatasync:return,
syscall::open:return, syscall::openat:return, syscall::openat2:return
/self->start/
{
	self->start = 0;
	self->fd = 0;
}
