#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cachestat.d: how much of what programs read is in the page cache.
 *
 * Topic: Files
 * Usage: cachestat.d [--interval TIME]
 * System calls that read regular files. Memory that a program has mapped is not among it.
 *
 * READ_KB   that programs read
 * MISS_KB   that was not in the cache when a read began
 * AHEAD_KB  brought in along with it: reads that find it there have no miss
 *
 * Example:
 *   # cachestat.d -c "sh twice.sh"
 *   TIME                      READ_KB      MISS_KB     AHEAD_KB
 *   2026 Nov 26 11:48:18         8215          256         3840
 */
#pragma D option quiet
#pragma D param interval string "time between reports" 1s

BEGIN
{
	printf("%-20s %12s %12s %12s\n", "TIME", "READ_KB", "MISS_KB", "AHEAD_KB");
}

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
	@read = sum(arg0);
	@miss = sum(this->miss);
	@ahead = sum(this->added - this->miss);
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
	printf("%-20Y ", walltimestamp);
	printa("%@12d %@12d %@12d", @read, @miss, @ahead);
	printf("\n");
	clear(@read);
	clear(@miss);
	clear(@ahead);
}
