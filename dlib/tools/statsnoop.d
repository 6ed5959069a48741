#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * statsnoop.d: files whose attributes are asked for: stat(2) and its variants, access(2).
 *
 * Topic: Files
 * Usage: statsnoop.d [-p PID|-c COMMAND]
 * With -p or -c only by this process and its descendants.
 *
 * PID, COMMAND   the process      CALL  the system call     ERR   the error, or "-"
 * PATH   as the program gave it; "" with a descriptor alone
 *
 * Example:
 *   # statsnoop.d -c "find /etc/ssl /nonexistent -name x"
 *       PID COMMAND          CALL         ERR      PATH
 *      6358 find             access       ENOENT   /etc/ld.so.preload
 *      6358 find             newfstatat   -
 *      6358 find             newfstatat   -
 *      6358 find             newfstatat   -
 *      6358 find             newfstatat   -
 *   ...
 */
#pragma D option quiet

BEGIN
{
	printf("%7s %-16s %-12s %-8s %s\n", "PID", "COMMAND", "CALL", "ERR", "PATH");
}

syscall::newstat:entry, syscall::newlstat:entry, syscall::access:entry, syscall::statfs:entry
/wanted/
{
	self->path = arg0;
}

syscall::newfstatat:entry, syscall::statx:entry, syscall::faccessat:entry, syscall::faccessat2:entry
/wanted/
{
	self->path = arg1;
}

syscall::newstat:return, syscall::newlstat:return, syscall::access:return, syscall::statfs:return,
syscall::newfstatat:return, syscall::statx:return, syscall::faccessat:return,
syscall::faccessat2:return
/self->path/
{
	printf("%7d %-16s %-12s %-8s %s\n", pid, execname, probefunc, errno ? errno_name[errno] : "-",
	    copyinstr(self->path));
	self->path = 0;
}
