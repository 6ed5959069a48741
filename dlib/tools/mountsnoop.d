#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mountsnoop.d: file systems as they are mounted and unmounted.
 *
 * Topic: Files
 * Usage: mountsnoop.d
 * mount(2), umount2(2), and move_mount(2), which puts a file system in its place that newer programs have prepared.
 *
 * PID, COMMAND  the process         CALL  the system call        RESULT  0, or the error
 * TYPE, SOURCE, TARGET  as given; - where the call does not say it
 *
 * Example:
 *   # mountsnoop.d -c "sh mounts.sh"
 *       PID COMMAND          CALL       RESULT   TYPE       SOURCE                   TARGET
 *      8698 mount            mount      0        tmpfs      none                     /tmp/mnt
 *      8700 umount           umount     0        -          -                        /tmp/mnt
 *      8701 mount            mount      ENOENT   ext3       none                     /tmp/mnt
 */
#pragma D option quiet

BEGIN
{
	printf("%7s %-16s %-10s %-8s %-10s %-24s %s\n", "PID", "COMMAND", "CALL", "RESULT", "TYPE", "SOURCE", "TARGET");
}

syscall::mount:entry
/wanted/
{
	self->source = arg0 ? copyinstr(arg0) : "-";
	self->target = arg1 ? copyinstr(arg1) : "-";
	self->type = arg2 ? copyinstr(arg2) : "-";
}

syscall::umount*:entry
/wanted/
{
	self->source = "-";
	self->target = arg0 ? copyinstr(arg0) : "-";
	self->type = "-";
}

syscall::move_mount:entry
/wanted/
{
	self->source = arg1 ? copyinstr(arg1) : "-";
	self->target = arg3 ? copyinstr(arg3) : "-";
	self->type = "-";
}

syscall::mount:return, syscall::umount*:return, syscall::move_mount:return
/self->target != NULL/
{
	printf("%7d %-16s %-10s %-8s %-10s %-24s %s\n", pid, execname, probefunc,
	    errno ? errno_name[errno] : "0", self->type, self->source, self->target);
	self->source = NULL;
	self->target = NULL;
	self->type = NULL;
}
