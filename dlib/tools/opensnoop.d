#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opensnoop.d: files as they are opened.
 *
 * Topic: Files
 * Usage: opensnoop.d [-p PID|-c COMMAND]
 * With -p or -c only by this process and its descendants.
 *
 * UID, PID, COMMAND   the process      FD   the descriptor, or -1
 * ERR    the error, or "-"     PATH as the program gave it
 *
 * Example:
 *   # opensnoop.d -c "wc -c /nonexistent"
 *      UID     PID COMMAND            FD ERR      PATH
 *        0    5072 wc                  3 -        /etc/ld.so.cache
 *        0    5072 wc                  3 -        /lib/x86_64-linux-gnu/libc.so.6
 *        0    5072 wc                 -1 ENOENT   /usr/lib/locale/locale-archive
 *        0    5072 wc                  3 -        /usr/share/locale/locale.alias
 *        0    5072 wc                 -1 ENOENT   /usr/lib/locale/C.UTF-8/LC_IDENTIFICATION
 *   ...
 */
#pragma D option quiet

BEGIN
{
	printf("%6s %7s %-16s %4s %-8s %s\n", "UID", "PID", "COMMAND", "FD", "ERR", "PATH");
}

syscall::open:entry, syscall::creat:entry
/wanted/
{
	self->path = arg0;
}

syscall::openat:entry, syscall::openat2:entry
/wanted/
{
	self->path = arg1;
}

syscall::open:return, syscall::creat:return, syscall::openat:return, syscall::openat2:return
/self->path/
{
	printf("%6d %7d %-16s %4d %-8s %s\n", uid, pid, execname, errno ? -1 : (int)arg0,
	    errno ? errno_name[errno] : "-", copyinstr(self->path));
	self->path = 0;
}
