#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shmsnoop.d: System V shared memory: shmget(2), shmat(2), shmdt(2) and shmctl(2).
 *
 * Topic: Memory
 * Usage: shmsnoop.d
 *
 * PID, COMMAND  the process          CALL  the system call
 * ARGS    shmget: key, size, flags; shmat: id, address, flags; shmdt: address; shmctl: id, command
 * RESULT  what it returned: an id, an address, 0; or the error
 *
 * Example:
 *   # shmsnoop.d -c "ipcmk -M 65536"
 *       PID COMMAND          CALL    ARGS                                 RESULT
 *      8828 ipcmk            shmget  0xa739f0e9       65536 01644         1
 *      8834 ipcrm            shmctl  1          IPC_RMID                  0
 */
#pragma D option quiet

BEGIN
{
	printf("%7s %-16s %-7s %-36s %s\n", "PID", "COMMAND", "CALL", "ARGS", "RESULT");
}

syscall::shmget:entry, syscall::shmat:entry, syscall::shmdt:entry, syscall::shmctl:entry
/wanted/
{
	self->in = 1;
	self->a = arg0;
	self->b = arg1;
	self->c = arg2;
}

syscall::shmget:return
/self->in/
{
	printf("%7d %-16s %-7s 0x%-8x %11d 0%-12o %s\n", pid, execname, probefunc, (uint32_t)self->a,
	    self->b, (uint32_t)self->c, errno ? errno_name[errno] : lltostr(arg0));
}

syscall::shmat:return
/self->in/
{
	printf("%7d %-16s %-7s %-10d 0x%-14x 0%-8o %s\n", pid, execname, probefunc, (int)self->a,
	    self->b, (uint32_t)self->c, errno ? errno_name[errno] : lltostr(arg0, 16));
}

syscall::shmdt:return
/self->in/
{
	printf("%7d %-16s %-7s 0x%-34x %s\n", pid, execname, probefunc, self->a, errno ? errno_name[errno] : "0");
}

syscall::shmctl:return
/self->in/
{
	printf("%7d %-16s %-7s %-10d %-25s %s\n", pid, execname, probefunc, (int)self->a,
	    self->b == 0 ? "IPC_RMID" : self->b == 1 ? "IPC_SET" : self->b == 2 ? "IPC_STAT" :
	    self->b == 3 ? "IPC_INFO" : self->b == 11 ? "SHM_LOCK" : self->b == 12 ? "SHM_UNLOCK" :
	    lltostr(self->b), errno ? errno_name[errno] : lltostr(arg0));
}

syscall::shmget:return, syscall::shmat:return, syscall::shmdt:return, syscall::shmctl:return
{
	self->in = 0;
}
