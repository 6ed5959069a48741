#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unlinksnoop.d: files and folders as they are removed or renamed.
 *
 * Topic: Files
 * Usage: unlinksnoop.d [-p PID|-c COMMAND]
 * With -p or -c only by this process and its descendants.
 *
 * TIME   when      PID, COMMAND   the process     CALL  the system call
 * ERR    the error, or "-"                PATH  as the program gave it, the new one after "->"
 *
 * Example, while another terminal runs cd /tmp; touch dw.a; mv dw.a dw.b; rm dw.b; rmdir dw.c 2>/dev/null:
 *   # unlinksnoop.d -p 6532
 *   TIME                     PID COMMAND          CALL      ERR      PATH
 *   2026 Nov 21 17:04:37    6594 mv               renameat2 -        dw.a -> dw.b
 *   2026 Nov 21 17:04:37    6595 rm               unlinkat  -        dw.b
 *   2026 Nov 21 17:04:37    6596 rmdir            rmdir     ENOENT   dw.c
 */
#pragma D option quiet

BEGIN
{
	printf("%-20s %7s %-16s %-9s %-8s %s\n", "TIME", "PID", "COMMAND", "CALL", "ERR", "PATH");
}

syscall::unlink:entry, syscall::rmdir:entry
/wanted/
{
	self->path = arg0;
}

syscall::unlinkat:entry
/wanted/
{
	self->path = arg1;
}

syscall::rename:entry
/wanted/
{
	self->path = arg0;
	self->to = arg1;
}

syscall::renameat:entry, syscall::renameat2:entry
/wanted/
{
	self->path = arg1;
	self->to = arg3;
}

syscall::unlink:return, syscall::rmdir:return, syscall::unlinkat:return, syscall::rename:return,
syscall::renameat:return, syscall::renameat2:return
/self->path/
{
	printf("%-20Y %7d %-16s %-9s %-8s %s%s%s\n", walltimestamp, pid, execname, probefunc,
	    errno ? errno_name[errno] : "-", copyinstr(self->path), self->to ? " -> " : "",
	    self->to ? copyinstr(self->to) : "");
	self->path = 0;
	self->to = 0;
}
