/* SPDX-License-Identifier: Apache-2.0 */
rawtp:::sched_switch
{
	printf("%d", ppid);
}
profile-199hz
{
	@ = lquantize(ppid | 1, 0, 10);
}
syscall::read:entry
{
	a[ppid] = 1;
	ppid / (arg0 | 1);
}
