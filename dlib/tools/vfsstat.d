#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vfsstat.d: calls of the kernel's file system layer per second.
 *
 * Topic: Functions of the kernel
 * Usage: vfsstat.d [--interval TIME] [-p PID|-c COMMAND]
 * With -p or -c of this process and its descendants only.
 *
 * READ, WRITE, FSYNC, OPEN, CREATE  calls in the interval
 *
 * Example:
 *   # vfsstat.d --interval 5s
 *   TIME                     READ    WRITE    FSYNC     OPEN   CREATE
 *   2026 Nov 26 11:40:05     1203      310        0      127        3
 */
#pragma D option quiet
#pragma D param interval string "time between reports" 1s

BEGIN
{
	printf("%-20s %8s %8s %8s %8s %8s\n", "TIME", "READ", "WRITE", "FSYNC", "OPEN", "CREATE");
}

fbt:vmlinux:vfs_read:entry,
fbt:vmlinux:vfs_readv:entry
/wanted/
{
	@r = count();
}

fbt:vmlinux:vfs_write:entry,
fbt:vmlinux:vfs_writev:entry
/wanted/
{
	@w = count();
}

fbt:vmlinux:vfs_fsync_range:entry
/wanted/
{
	@f = count();
}

fbt:vmlinux:vfs_open:entry
/wanted/
{
	@o = count();
}

fbt:vmlinux:vfs_create:entry
/wanted/
{
	@c = count();
}

tick-$interval, END
{
	printf("%-20Y", walltimestamp);
	printa(" %@8d %@8d %@8d %@8d %@8d\n", @r, @w, @f, @o, @c);
	clear(@r);
	clear(@w);
	clear(@f);
	clear(@o);
	clear(@c);
}
