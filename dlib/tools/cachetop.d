#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cachetop.d: which programs read files, and how much of it is in the page cache.
 *
 * Topic: Files
 * Usage: cachetop.d [--interval TIME]
 * System calls that read regular files. Memory that a program has mapped is not among it.
 *
 * PID, COMMAND  the process
 * READ_KB   that the program read
 * MISS_KB   that was not in the cache when a read began
 * AHEAD_KB  brought in along with it: reads that find it there have no miss
 *
 * Example:
 *   # cachetop.d -c "sh twice.sh"
 *   2026 Nov 26 11:48:19
 *       PID COMMAND               READ_KB      MISS_KB     AHEAD_KB
 *      6301 dd                       4101          256         3840
 *      6302 dd                       4101            0            0
 *      6300 dd                          5            0            0
 *   ...
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param interval string "time between reports" 5s

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
    fds[self->fd - 1].fi_fs != "proc" && fds[self->fd - 1].fi_fs != "sysfs"/
{
	this->added = self->pages * PAGE_BYTES;
	this->miss = this->added < arg0 ? this->added : arg0;
	@read[group_id, group_name] = sum(arg0);
	@miss[group_id, group_name] = sum(this->miss);
	@ahead[group_id, group_name] = sum(this->added - this->miss);
}

syscall::read:return, syscall::pread64:return, syscall::readv:return, syscall::preadv:return,
syscall::preadv2:return
{
	self->fd = 0;
}

tick-$interval, END
{
	normalize(@read, 1024);
	normalize(@miss, 1024);
	normalize(@ahead, 1024);
	printf("%Y\n%7s %-16s %12s %12s %12s\n", walltimestamp, group_id_head, group_head, "READ_KB", "MISS_KB",
	    "AHEAD_KB");
	printa("%7d %-16s %@12d %@12d %@12d\n", @read, @miss, @ahead);
	trunc(@read);
	trunc(@miss);
	trunc(@ahead);
}
