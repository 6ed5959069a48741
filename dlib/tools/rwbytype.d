#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rwbytype.d: bytes read and written by kind of file system.
 *
 * Topic: Files
 * Usage: rwbytype.d [-p PID|-c COMMAND] [--interval TIME]
 * With -p or -c only those of this process and its descendants.
 *
 * COMMAND  the process      D    R read, W write      FS     ext4, pipefs, sockfs, proc ...
 * CALLS    successful calls (read, pread64, readv, preadv, preadv2 and those of write)
 * BYTES    transferred
 *
 * Example:
 *   # rwbytype.d -c "dd if=/dev/zero of=/tmp/dwell.example bs=64k count=100"
 *   2026 Nov 21 17:04:29
 *   COMMAND          D FS                CALLS          BYTES
 *   dd               W ext4                100        6553600
 *   dd               R devtmpfs            100        6553600
 *   dd               R ext4                  5           5396
 *   dd               W pipefs                3             98
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param interval string "time between reports" 10s

syscall::read:entry, syscall::pread64:entry, syscall::readv:entry, syscall::preadv:entry,
syscall::preadv2:entry, syscall::write:entry, syscall::pwrite64:entry, syscall::writev:entry,
syscall::pwritev:entry, syscall::pwritev2:entry
/wanted/
{
	self->fd = (int)arg0 + 1;
}

syscall::read:return, syscall::pread64:return, syscall::readv:return, syscall::preadv:return,
syscall::preadv2:return, syscall::write:return, syscall::pwrite64:return, syscall::writev:return,
syscall::pwritev:return, syscall::pwritev2:return
/self->fd && !errno/
{
	this->how = strstr(probefunc, "write") != NULL ? "W" : "R";
	@calls[group_name, this->how, fds[self->fd - 1].fi_fs] = count();
	@bytes[group_name, this->how, fds[self->fd - 1].fi_fs] = sum(arg0);
}

syscall::read:return, syscall::pread64:return, syscall::readv:return, syscall::preadv:return,
syscall::preadv2:return, syscall::write:return, syscall::pwrite64:return, syscall::writev:return,
syscall::pwritev:return, syscall::pwritev2:return
{
	self->fd = 0;
}

tick-$interval, END
{
	printf("%Y\n%-16s %1s %-12s %10s %14s\n", walltimestamp, group_head, "D", "FS", "CALLS", "BYTES");
	printa("%-16s %1s %-12s %@10d %@14d\n", @calls, @bytes);
	trunc(@calls);
	trunc(@bytes);
}
