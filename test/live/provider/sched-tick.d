/* SPDX-License-Identifier: Apache-2.0 */
/* A program that burns CPU gets ticks; it leaves the CPU because it is preempted or waits.
 * @options: -q
 * @trigger: spin 400 */
int ticks, bad, offs, preempted, waits;

sched:::tick
/pid == $target/
{
	ticks++;
	bad += args[1]->pr_pid != $target || args[0]->pr_lwpid != $target;
}

/* a thread leaves a CPU for one of two reasons */
sched:::off-cpu
/pid == $target/
{
	offs++;
}

sched:::preempt
/pid == $target/
{
	preempted++;
}

sched:::dequeue
/pid == $target/
{
	waits++;
}

END
{
	printf("%d %d %d\n", ticks >= 5, bad, offs - preempted - waits);
}
