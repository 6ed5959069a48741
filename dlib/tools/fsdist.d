#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fsdist.d: how long operations on files take, by file system and operation.
 *
 * Topic: Files
 * Usage: fsdist.d [--fs TYPE] [--interval TIME]
 * read, write and fsync of regular files, and open, as system calls. Microseconds.
 *
 * Example:
 *   # fsdist.d --fs ext4 -c "dd if=/dev/zero of=/tmp/dwell.example bs=64k count=20 conv=fsync"
 *   Tracing... Ctrl-C ends.
 *   ext4 read (us)
 *              value  ------------- Distribution ------------- count
 *                 -1 |                                         0
 *                  0 |@@@@@@@@                                 2
 *                  1 |                                         0
 *                  2 |@@@@                                     1
 *                  4 |@@@@@@@@                                 2
 *                  8 |@@@@@@@@                                 2
 *                 16 |@@@@                                     1
 *                 32 |                                         0
 *                 64 |@@@@                                     1
 *                128 |                                         0
 *                256 |@@@@                                     1
 *                512 |                                         0
 *   ext4 open (us)
 *              value  ------------- Distribution ------------- count
 *                  1 |                                         0
 *                  2 |@@@@@@@@@@@@@@@@@@@@@@                   14
 *                  4 |@@                                       1
 *   ...
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param fs string "only this type of file system: ext4" ""
#pragma D param interval string "time between reports; else one at the end" 1d

BEGIN
{
	printf("Tracing... Ctrl-C ends.\n");
}

syscall::read:entry, syscall::pread64:entry, syscall::readv:entry, syscall::preadv:entry,
syscall::preadv2:entry, syscall::write:entry, syscall::pwrite64:entry, syscall::writev:entry,
syscall::pwritev:entry, syscall::pwritev2:entry, syscall::fsync:entry, syscall::fdatasync:entry
/wanted/
{
	self->fd = (int)arg0 + 1;
	self->start = timestamp;
}

syscall::open:entry, syscall::openat:entry, syscall::openat2:entry
/wanted/
{
	self->start = timestamp;
}

syscall::open:return, syscall::openat:return, syscall::openat2:return
/self->start && !errno/
{
	self->fd = (int)arg0 + 1;
}

syscall::read:return, syscall::pread64:return, syscall::readv:return, syscall::preadv:return,
syscall::preadv2:return, syscall::write:return, syscall::pwrite64:return, syscall::writev:return,
syscall::pwritev:return, syscall::pwritev2:return, syscall::fsync:return, syscall::fdatasync:return,
syscall::open:return, syscall::openat:return, syscall::openat2:return
/self->start && self->fd && fd_type[self->fd - 1] == S_IFREG &&
    ($$fs == "" || $$fs == fds[self->fd - 1].fi_fs)/
{
	@[group_prefix, fds[self->fd - 1].fi_fs, strstr(probefunc, "read") != NULL ? "read" :
	    strstr(probefunc, "write") != NULL ? "write" : strstr(probefunc, "sync") != NULL ? "fsync" : "open"] =
	    quantize((timestamp - self->start) / 1000);
}

syscall::read:return, syscall::pread64:return, syscall::readv:return, syscall::preadv:return,
syscall::preadv2:return, syscall::write:return, syscall::pwrite64:return, syscall::writev:return,
syscall::pwritev:return, syscall::pwritev2:return, syscall::fsync:return, syscall::fdatasync:return,
syscall::open:return, syscall::openat:return, syscall::openat2:return
/self->start/
{
	self->start = 0;
	self->fd = 0;
}

tick-$interval
{
	printf("%Y\n", walltimestamp);
}

tick-$interval, END
{
	printa("%s%s %s (us)%@d\n", @);
	trunc(@);
}
