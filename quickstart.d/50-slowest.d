/* SPDX-License-Identifier: Apache-2.0 */
/* The slowest system calls; those whose job is to wait are left out */
#pragma D option noself

syscall:::entry
{
	self->start = timestamp;
}

syscall::*poll*:return,
syscall::*select*:return,
syscall::*sleep*:return,
syscall::wait*:return,
syscall::futex*:return,
syscall::epoll_*wait*:return,
syscall::rt_sig*:return,
syscall::restart_syscall:return
{
	self->start = 0;
}

syscall:::return
/self->start/
{
	@[execname, probefunc] = max(timestamp - self->start);
	self->start = 0;
}

tick-3s
{
	trunc(@, 10);
	normalize(@, 1000);
	printf("%-16s %-24s %12s\n", "PROCESS", "SYSTEM CALL", "MAX. US");
	printa("%-16s %-24s %@12d\n", @);
	trunc(@);
	exit(0);
}
