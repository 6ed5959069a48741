/* SPDX-License-Identifier: Apache-2.0 */
/* The same tracepoints raw.
 * @options: -q
 * @trigger: storm 4 */
int good;

rawtp:::sched_process_fork
/pid == $target/
{
	n++;
	good += ((struct task_struct *)arg0)->tgid == $target;
}

END
{
	printf("%d %d\n", n, good);
}
