/* SPDX-License-Identifier: Apache-2.0 */
/* Where threads wait: time off the CPU by kernel stack */
sched:::off-cpu
/pid/
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
	printa("%s%k%@d ms\n\n", @);
	trunc(@);
	exit(0);
}
