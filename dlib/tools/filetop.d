#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * filetop.d: the files with most reads and writes.
 *
 * Topic: Files
 * Usage: filetop.d [--interval TIME] [--top N]
 *
 *     KB  transferred by read, pread64, readv, preadv, preadv2 and those of write
 * D       R read, W write        PID, COMMAND   the process         FILE   the path
 *
 * Example:
 *   # filetop.d --interval 1s --top 4 -c "dd if=/dev/zero of=/tmp/dwell.example bs=64k count=100"
 *   2026 Nov 21 17:04:20
 *       PID COMMAND          D         KB FILE
 *      4866 dd               W       6400 /tmp/dwell.example
 *      4866 dd               R       6400 /dev/zero
 *      4954 readelf          W        148 pipe:[2597942]
 *      4911 test_sym_ehtab   R        144 pipe:[2597942]
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param interval string "time between reports" 5s
#pragma D param top int "files shown" 20

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
	@[group_id, group_name, this->how, fds[self->fd - 1].fi_pathname] = sum(arg0);
}

syscall::read:return, syscall::pread64:return, syscall::readv:return, syscall::preadv:return,
syscall::preadv2:return, syscall::write:return, syscall::pwrite64:return, syscall::writev:return,
syscall::pwritev:return, syscall::pwritev2:return
{
	self->fd = 0;
}

tick-$interval, END
{
	trunc(@, $top);
	normalize(@, 1024);
	printf("%Y\n%7s %-16s %1s %10s %s\n", walltimestamp, group_id_head, group_head, "D", "KB", "FILE");
	printa("%7d %-16s %1s %@10d %s\n", @);
	trunc(@);
}
