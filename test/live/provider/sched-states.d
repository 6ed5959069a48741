/* SPDX-License-Identifier: Apache-2.0 */
/* Provider sched over a program that sleeps 20 times and yields 30 times.
 * @options: -q
 * @trigger: naps 20 30 */
int cpus;

sched:::sleep
/pid == $target/
{
	sleeps++;
}

sched:::dequeue
/pid == $target && ((struct task_struct *)arg0)->tgid == $target/
{
	dequeues++;
}

sched:::wakeup
/((struct task_struct *)arg0)->tgid == $target/
{
	wakeups++;
}

sched:::enqueue
/args[1]->pr_pid == $target/
{
	enqueues++;
	cpus += args[2]->cpu_id == (int)arg1 && args[0]->pr_lwpid == $target;
}

sched:::surrender
/pid == $target && ((struct task_struct *)arg0)->tgid == $target/
{
	yields++;
}

END
{
	printf("%d %d %d %d %d %d\n", sleeps >= 20, dequeues - sleeps <= 1 /* the end of the process */, wakeups >= 20,
	    enqueues >= 20, yields, cpus == enqueues);
}
