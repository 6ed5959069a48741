#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * filelife.d: files that are created and removed again, and how long they lived.
 *
 * Topic: Files
 * Usage: filelife.d
 * Files of open(2) and its variants, removed by unlink(2) and unlinkat(2) under the name that they were created with.
 *
 * PID, COMMAND  the process that removed it        MS  milliseconds that it lived        FILE  the path
 *
 * Example:
 *   # filelife.d -c "sh short-lived.sh"
 *       PID COMMAND                  MS FILE
 *      7151 ninja                   139 /home/me/dwell/build/src/librun.a.p/run_consume_spec.c.o.d
 *      8996 rm                      225 /tmp/fl1
 *      9000 rm                        5 /tmp/q
 */
#pragma D option quiet
#pragma D option strsize=512

/* Source: include/linux/fs.h FMODE_CREATED: this open has created the file. */
inline int FILE_CREATED = 1 << 20;
inline struct file *open_file[int FD] = curthread->files->fdt->fd[FD];

BEGIN
{
	printf("%7s %-16s %10s %s\n", "PID", "COMMAND", "MS", "FILE");
}

syscall::open:return, syscall::openat:return, syscall::creat:return, syscall::openat2:return
/!errno && open_file[arg0]->f_mode & FILE_CREATED/
{
	born[fds[arg0].fi_pathname] = timestamp;
}

syscall::unlink:entry
/wanted/
{
	self->name = copyinstr(arg0);
}

syscall::unlinkat:entry
/wanted/
{
	self->name = copyinstr(arg1);
}

syscall::unlink:return, syscall::unlinkat:return
/self->name != NULL && !errno/
{
	this->path = cleanpath(substr(self->name, 0, 1) == "/" ? self->name :
	    strjoin(cwd, strjoin("/", self->name)));
}

syscall::unlink:return, syscall::unlinkat:return
/self->name != NULL && !errno && born[this->path]/
{
	printf("%7d %-16s %10d %s\n", pid, execname, (timestamp - born[this->path]) / 1000000, this->path);
	born[this->path] = 0;
}

syscall::unlink:return, syscall::unlinkat:return
{
	self->name = NULL;
}
