/* SPDX-License-Identifier: Apache-2.0 */
/* sched:::change-pri: the main thread inherits the priority of one that waits for it, and loses it again.
 * @options: -q
 * @trigger: inherit */
sched:::change-pri
/args[1]->pr_pid == $target && args[0]->pr_lwpid == $target/
{
	@n[args[2] < 100 ? "real-time" : "normal", args[2]] = count();
}

END
{
	printa("%s %d %@d\n", @n);
}
