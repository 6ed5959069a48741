/* SPDX-License-Identifier: Apache-2.0 */
/* Where the threads of the load wait: milliseconds off the CPU, by kernel stack */
#pragma D option noself

syscall::*nanosleep:entry
{
	self->pause = 1; /* it asked for that */
}

syscall::*nanosleep:return
{
	self->pause = 0;
}

sched:::off-cpu
/substr(execname, 0, 5) == "load-" && !self->pause/
{
	self->off = timestamp;
}

sched:::on-cpu
/self->off/
{
	@[execname, stack(8)] = sum(timestamp - self->off);
	self->off = 0;
}

tick-3s
{
	trunc(@, 5);
	normalize(@, 1000000);
	printa(@);
	trunc(@);
	exit(0);
}
