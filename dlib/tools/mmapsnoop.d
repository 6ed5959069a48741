#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mmapsnoop.d: files as they are mapped into memory.
 *
 * Topic: Files
 * Usage: mmapsnoop.d [-p PID|-c COMMAND]
 * With -p or -c only by this process and its descendants.
 *
 * PID, COMMAND   the process       PROT   r read, w write, x execute; SHARE  shared or private
 * BYTES  its size           OFFSET within the file              FILE  the path
 *
 * Example:
 *   # mmapsnoop.d -c "true"
 *       PID COMMAND          PROT SHARE          BYTES       OFFSET FILE
 *      5019 true             r--  private        45519            0 /etc/ld.so.cache
 *      5019 true             r--  private      1974096            0 /usr/lib/x86_64-linux-gnu/libc.so.6
 *      5019 true             r-x  private      1400832       155648 /usr/lib/x86_64-linux-gnu/libc.so.6
 *      5019 true             r--  private       339968      1556480 /usr/lib/x86_64-linux-gnu/libc.so.6
 *      5019 true             rw-  private        24576      1896448 /usr/lib/x86_64-linux-gnu/libc.so.6
 */
#pragma D option quiet

/* Source: include/uapi/asm-generic/mman-common.h and mman.h. */
inline int READ = 1;
inline int WRITE = 2;
inline int EXEC = 4;
inline int ANONYMOUS = 0x20;
inline int SHARED = 1;

BEGIN
{
	printf("%7s %-16s %-4s %-7s %12s %12s %s\n", "PID", "COMMAND", "PROT", "SHARE", "BYTES", "OFFSET",
	    "FILE");
}

syscall::mmap:entry
/!(arg3 & ANONYMOUS) && wanted/
{
	self->on = 1;
	self->size = arg1;
	self->prot = arg2;
	self->flags = arg3;
	self->fd = (int)arg4;
	self->offset = arg5;
}

syscall::mmap:return
/self->on && !errno/
{
	printf("%7d %-16s %s%s%s  %-7s %12d %12d %s\n", pid, execname, self->prot & READ ? "r" : "-",
	    self->prot & WRITE ? "w" : "-", self->prot & EXEC ? "x" : "-",
	    self->flags & SHARED ? "shared" : "private", self->size, self->offset,
	    fds[self->fd].fi_pathname);
}

syscall::mmap:return
{
	self->on = 0;
	self->size = 0;
	self->prot = 0;
	self->flags = 0;
	self->fd = 0;
	self->offset = 0;
}
