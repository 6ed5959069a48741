/* SPDX-License-Identifier: Apache-2.0 */
/* A thread is in no interrupt; a timer's probe is in one, where the kernel tells (x86: CONFIG_KALLSYMS_ALL). sizeof knows
 * variables of the library.
 * @options: -q */
int thread;
BEGIN { printf("%d %d\n", ipl, sizeof (ipl)); }
sdt:::sched_switch { thread += ipl; }
profile-199 { timer[ipl] = 1; n++; }
tick-500ms /n/
{
	printf("%d %d\n", thread, timer[2] ^^ timer[0]);
	exit(0);
}
