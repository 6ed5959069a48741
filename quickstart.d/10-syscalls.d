/* SPDX-License-Identifier: Apache-2.0 */
/* System calls by process, the most frequent last; dwell itself is left out */
#pragma D option noself

syscall:::entry
{
	@[execname, probefunc] = count();
}

tick-3s
{
	trunc(@, 15);
	printf("%-16s %-24s %8s\n", "PROCESS", "SYSTEM CALL", "COUNT");
	printa("%-16s %-24s %@8d\n", @);
	trunc(@);
	exit(0);
}
