#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fileslower.d: reads and writes of files that take longer than some milliseconds.
 *
 * Topic: Files
 * Usage: fileslower.d [-p PID|-c COMMAND] [--ms N]
 * With -p or -c only those of this process and its descendants. Pipes, sockets and terminals are
 * left out: their readers wait for others.
 *
 * TIME   when it returned     PID, COMMAND   the process     D   R read, W write
 * BYTES  transferred          MS  how long           FILE  the path
 *
 * Example:
 *   # fileslower.d --ms 1 -c "dd if=/dev/zero of=/tmp/dwell.example bs=4M count=3 oflag=direct"
 *   TIME                     PID COMMAND          D      BYTES       MS FILE
 *   2026 Nov 21 17:04:19    4807 dd               W    4194304       20 /tmp/dwell.example
 *   2026 Nov 21 17:04:19    4807 dd               W    4194304        2 /tmp/dwell.example
 *   2026 Nov 21 17:04:19    4807 dd               W    4194304        2 /tmp/dwell.example
 */
#pragma D option quiet
#pragma D param ms int "milliseconds from which on a call is shown" 10

BEGIN
{
	printf("%-20s %7s %-16s %1s %10s %8s %s\n", "TIME", "PID", "COMMAND", "D", "BYTES", "MS", "FILE");
}

syscall::read:entry, syscall::pread64:entry, syscall::readv:entry, syscall::preadv:entry,
syscall::preadv2:entry, syscall::write:entry, syscall::pwrite64:entry, syscall::writev:entry,
syscall::pwritev:entry, syscall::pwritev2:entry
/wanted/
{
	self->fd = (int)arg0 + 1;
	self->start = timestamp;
}

syscall::read:return, syscall::pread64:return, syscall::readv:return, syscall::preadv:return,
syscall::preadv2:return, syscall::write:return, syscall::pwrite64:return, syscall::writev:return,
syscall::pwritev:return, syscall::pwritev2:return
/self->fd && !errno && timestamp - self->start >= $ms * 1000000 && fd_type[self->fd - 1] == S_IFREG/
{
	printf("%-20Y %7d %-16s %s %10d %8d %s\n", walltimestamp, pid, execname,
	    strstr(probefunc, "write") != NULL ? "W" : "R", arg0, (timestamp - self->start) / 1000000,
	    fds[self->fd - 1].fi_pathname);
}

syscall::read:return, syscall::pread64:return, syscall::readv:return, syscall::preadv:return,
syscall::preadv2:return, syscall::write:return, syscall::pwrite64:return, syscall::writev:return,
syscall::pwritev:return, syscall::pwritev2:return
{
	self->fd = 0;
	self->start = 0;
}
