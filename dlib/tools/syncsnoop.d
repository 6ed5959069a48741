#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * syncsnoop.d: programs that ask for data to be on the disk: sync(2), syncfs(2), fsync(2) and the like.
 *
 * Topic: Files
 * Usage: syncsnoop.d
 * fsyncsnoop.d shows the files of fsync(2), and distributions of the time.
 *
 * TIME  when it ended      PID, COMMAND  the process      CALL  the system call
 * US    microseconds       RESULT  0, or the error
 *
 * Example:
 *   # syncsnoop.d -c "sh syncs.sh"
 *   TIME                     PID COMMAND          CALL                     US RESULT
 *   2026 Nov 26 11:49:21    8907 sync             sync                  43085 0
 *   2026 Nov 26 11:49:21    8914 sync             fsync                  1240 0
 *   2026 Nov 26 11:49:21    8916 sync             syncfs                 5176 0
 */
#pragma D option quiet

BEGIN
{
	printf("%-20s %7s %-16s %-16s %10s %s\n", "TIME", "PID", "COMMAND", "CALL", "US", "RESULT");
}

syscall::sync:entry, syscall::syncfs:entry, syscall::fsync:entry, syscall::fdatasync:entry,
syscall::sync_file_range:entry, syscall::msync:entry
/wanted/
{
	self->start = timestamp;
}

syscall::sync:return, syscall::syncfs:return, syscall::fsync:return, syscall::fdatasync:return,
syscall::sync_file_range:return, syscall::msync:return
/self->start/
{
	printf("%-20Y %7d %-16s %-16s %10d %s\n", walltimestamp, pid, execname, probefunc,
	    (timestamp - self->start) / 1000, errno ? errno_name[errno] : "0");
	self->start = 0;
}
