#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * execsnoop.d: programs as processes begin to execute them.
 *
 * Topic: Processes
 * Usage: execsnoop.d [-p PID|-c COMMAND]
 * With -p or -c only what this process and its descendants execute.
 *
 * TIME   when              UID   user
 * PPID   parent process    PID   process
 * ERR    why it failed, "-" when it did not: then ARGS is the path that was asked for
 * ARGS   the arguments, at most 79 bytes
 *
 * Example, while another terminal runs sh -c "ls /etc | wc -l" >/dev/null; /etc/hostname 2>/dev/null:
 *   # execsnoop.d -p 4738
 *   TIME                    UID    PPID     PID ERR      ARGS
 *   2026 Nov 21 17:04:16      0    4738    4780 -        sh -c ls /etc | wc -l
 *   2026 Nov 21 17:04:16      0    4780    4781 -        ls /etc
 *   2026 Nov 21 17:04:16      0    4780    4782 -        wc -l
 *   2026 Nov 21 17:04:16      0    4738    4783 ENOEXEC  /etc/hostname
 */
#pragma D option quiet

BEGIN
{
	printf("%-20s %6s %7s %7s %-8s %s\n", "TIME", "UID", "PPID", "PID", "ERR", "ARGS");
}

proc:::exec-success
/wanted/
{
	printf("%-20Y %6d %7d %7d %-8s %s\n", walltimestamp, uid, ppid, pid, "-",
	    curpsinfo->pr_psargs);
}

syscall::execve:entry
/wanted/
{
	self->path = arg0;
}

syscall::execveat:entry
/wanted/
{
	self->path = arg1;
}

syscall::execve:return, syscall::execveat:return
/self->path && errno/
{
	printf("%-20Y %6d %7d %7d %-8s %s\n", walltimestamp, uid, ppid, pid, errno_name[errno],
	    copyinstr(self->path));
}

syscall::execve:return, syscall::execveat:return
/self->path/
{
	self->path = 0;
}
