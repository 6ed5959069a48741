#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fsyncsnoop.d: fsync(2) and the like: how often, and how long they took, by file.
 *
 * Topic: Files
 * Usage: fsyncsnoop.d [-p PID|-c COMMAND] [--interval TIME]
 * With -p or -c only those of this process and its descendants.
 *
 * TIME   when it returned      PID, COMMAND   the process     CALL   fsync, fdatasync, syncfs, sync_file_range
 * US     microseconds          FILE   the path        ERR    the error, or "-"
 * At the end the distribution of the times by call.
 *
 * Example:
 *   # fsyncsnoop.d -c "dd if=/dev/zero of=/tmp/dwell.example bs=64k count=10 conv=fsync"
 *   TIME                     PID COMMAND          CALL                     US ERR      FILE
 *   2026 Nov 21 17:04:22    4986 dd               fsync                  2721 -        /tmp/dwell.example
 *
 *   fsync (us)
 *   ...
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param interval string "time between reports; else one at the end" 1d

BEGIN
{
	printf("%-20s %7s %-16s %-16s %10s %-8s %s\n", "TIME", "PID", "COMMAND", "CALL", "US", "ERR",
	    "FILE");
}

syscall::fsync:entry, syscall::fdatasync:entry, syscall::syncfs:entry,
syscall::sync_file_range:entry
/wanted/
{
	self->start = timestamp;
	self->fd = (int)arg0;
}

syscall::fsync:return, syscall::fdatasync:return, syscall::syncfs:return,
syscall::sync_file_range:return
/self->start/
{
	this->took = (timestamp - self->start) / 1000;
	printf("%-20Y %7d %-16s %-16s %10d %-8s %s\n", walltimestamp, pid, execname, probefunc,
	    this->took, errno ? errno_name[errno] : "-", fds[self->fd].fi_pathname);
	@[probefunc] = hist(this->took);
	self->start = 0;
	self->fd = 0;
}

tick-$interval
{
	printf("%Y\n", walltimestamp);
}

tick-$interval, END
{
	printa("\n%s (us) %@d", @);
	trunc(@);
}
