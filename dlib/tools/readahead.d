#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * readahead.d: what the kernel reads ahead of programs, by file.
 *
 * Topic: Files
 * Usage: readahead.d [--interval TIME]
 * ADDED_KB far above READ_KB: the program reads here and there, and posix_fadvise(2) or the file system's read_ahead_kb
 * would save work. System calls that read regular files.
 *
 * PID, COMMAND  the process           READ_KB  that the program read since the first page was missing
 * ADDED_KB      brought into the page cache by these reads          FILE  the path
 *
 * Example:
 *   # readahead.d -c "sh twice.sh"
 *   2026 Nov 26 11:48:20
 *       PID COMMAND            ADDED_KB    READ_KB FILE
 *      6352 dd                     4096       4096 /tmp/c1
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param interval string "time between reports" 5s

int some[pid_t, int];

syscall::read:entry, syscall::pread64:entry, syscall::readv:entry, syscall::preadv:entry,
syscall::preadv2:entry
/wanted/
{
	self->fd = (int)arg0 + 1;
	self->pages = 0;
}

sdt:::mm_filemap_add_to_page_cache
/self->fd/
{
	self->pages += folio_pages[arg0];
}

syscall::read:return, syscall::pread64:return, syscall::readv:return, syscall::preadv:return,
syscall::preadv2:return
/self->fd && !errno && fd_type[self->fd - 1] == S_IFREG && !(fds[self->fd - 1].fi_oflags & O_DIRECT) &&
    fds[self->fd - 1].fi_fs != "proc" && fds[self->fd - 1].fi_fs != "sysfs" &&
    (self->pages || some[pid, self->fd])/
{
	some[pid, self->fd] = 1;
	@added[group_id, group_name, fds[self->fd - 1].fi_pathname] = sum(self->pages * PAGE_BYTES);
	@read[group_id, group_name, fds[self->fd - 1].fi_pathname] = sum(arg0);
}

syscall::read:return, syscall::pread64:return, syscall::readv:return, syscall::preadv:return,
syscall::preadv2:return
{
	self->fd = 0;
}

syscall::close:entry
/some[pid, (int)arg0 + 1]/
{
	some[pid, (int)arg0 + 1] = 0;
}

tick-$interval, END
{
	normalize(@added, 1024);
	normalize(@read, 1024);
	printf("%Y\n%7s %-16s %10s %10s %s\n", walltimestamp, group_id_head, group_head, "ADDED_KB", "READ_KB", "FILE");
	printa("%7d %-16s %@10d %@10d %s\n", @added, @read);
	trunc(@added);
	trunc(@read);
}
