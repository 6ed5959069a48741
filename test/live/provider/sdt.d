/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel tracepoint by its DTrace name, with typed arguments.
 * @options: -q
 * @trigger: storm 3 */
int good, seen;

sdt:::sched_process_fork
/pid == $target/
{
	forks++;
	good += args[0]->tgid == $target && args[1]->tgid != $target;
	last = args[1]->pid;
}

sdt:::sched_process_exit
/ppid == $target/
{
	exits++;
	seen += args[0] == curthread && args[0]->tgid == pid;
}

END
{
	printf("%d %d %d %d\n", forks, good, exits, seen);
}
