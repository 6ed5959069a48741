#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rwsnoop.d: reads and writes of files, pipes, sockets and terminals, as they return.
 *
 * Topic: Files
 * Usage: rwsnoop.d [-p PID|-c COMMAND]
 * With -p or -c only those of this process and its descendants.
 *
 * UID, PID, COMMAND   the process      D   R read, W write     BYTES  how many were transferred
 * FILE   the path, or what else the descriptor stands for
 * Calls: read, pread64, readv, preadv, preadv2 and those of write; failed ones are left out.
 *
 * Example:
 *   # rwsnoop.d -c "cp /etc/hostname /tmp/dwell.example"
 *      UID     PID COMMAND          D     BYTES FILE
 *        0    6303 cp               R       832 /usr/lib/x86_64-linux-gnu/libselinux.so.1
 *        0    6303 cp               R       832 /usr/lib/x86_64-linux-gnu/libacl.so.1.1.2301
 *        0    6303 cp               R       832 /usr/lib/x86_64-linux-gnu/libattr.so.1.1.2501
 *        0    6303 cp               R       832 /usr/lib/x86_64-linux-gnu/libc.so.6
 *        0    6303 cp               R       784 /usr/lib/x86_64-linux-gnu/libc.so.6
 *   ...
 */
#pragma D option quiet

BEGIN
{
	printf("%6s %7s %-16s %1s %9s %s\n", "UID", "PID", "COMMAND", "D", "BYTES", "FILE");
}

syscall::read:entry, syscall::pread64:entry, syscall::readv:entry, syscall::preadv:entry,
syscall::preadv2:entry, syscall::write:entry, syscall::pwrite64:entry, syscall::writev:entry,
syscall::pwritev:entry, syscall::pwritev2:entry
/pid != $pid && wanted/
{
	self->fd = (int)arg0 + 1;
}

syscall::read:return, syscall::pread64:return, syscall::readv:return, syscall::preadv:return,
syscall::preadv2:return
/self->fd && !errno/
{
	printf("%6d %7d %-16s R %9d %s\n", uid, pid, execname, arg0, fds[self->fd - 1].fi_pathname);
}

syscall::write:return, syscall::pwrite64:return, syscall::writev:return, syscall::pwritev:return,
syscall::pwritev2:return
/self->fd && !errno/
{
	printf("%6d %7d %-16s W %9d %s\n", uid, pid, execname, arg0, fds[self->fd - 1].fi_pathname);
}

syscall::read:return, syscall::pread64:return, syscall::readv:return, syscall::preadv:return,
syscall::preadv2:return, syscall::write:return, syscall::pwrite64:return, syscall::writev:return,
syscall::pwritev:return, syscall::pwritev2:return
{
	self->fd = 0;
}
