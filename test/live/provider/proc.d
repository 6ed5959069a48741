/* SPDX-License-Identifier: Apache-2.0 */
/* Provider proc over a program whose processes, threads, signals and faults are known.
 * @options: -q
 * @trigger: life */
proc:::create, proc:::lwp-create
/pid == $target/
{
	@n[probename, 0] = count();
}

proc:::start, proc:::lwp-start, proc:::lwp-exit, proc:::exec-success
/pid == $target || ppid == $target/
{
	@n[probename, 0] = count();
}

proc:::exec
/ppid == $target/
{
	@path[args[0]] = count();
}

proc:::exec-failure, proc:::exit, proc:::fault
/ppid == $target/
{
	@n[probename, args[0]] = count();
}

proc:::exit
/pid == $target/
{
	@self["exit of the target", args[0]] = count();
}

/* SIGHUP SIGUSR1 SIGUSR2 SIGTERM */
proc:::signal-send, proc:::signal-discard
/pid == $target && (arg1 == 1 || arg1 == 10 || arg1 == 12)/
{
	@n[probename, (int)arg1] = count();
}

proc:::signal-send
/ppid == $target && arg1 == 15/
{
	@n[probename, (int)arg1] = count();
}

proc:::signal-handle
/pid == $target && args[0] == 10/
{
	@h[args[1]->si_signo, arg2 > 1] = count();
}

proc:::signal-clear
/pid == $target/
{
	@n[probename, args[0]] = count();
}

proc:::fault
/ppid == $target/
{
	@f[args[1]->si_signo] = count();
}

/* translated arguments */
proc:::create
/args[0]->pr_ppid == $target && args[0]->pr_fname == execname && args[0]->pr_pid == (int)((struct task_struct *)arg0)->pid/
{
	@x[probename] = count();
}

proc:::lwp-create
/args[1]->pr_pid == $target && args[0]->pr_lwpid == ((struct task_struct *)arg0)->pid/
{
	@x[probename] = count();
}

proc:::signal-send
/args[2] == 10 && args[1]->pr_pid == $target && args[0]->pr_lwpid == $target/
{
	@x[probename] = count();
}

END
{
	printa("%s %d: %@d\n", @n);
	printa("%s %d: %@d\n", @self);
	printa("exec %s: %@d\n", @path);
	printa("signal %d handled, by a function: %d: %@d\n", @h);
	printa("translated %s: %@d\n", @x);
	printa("fault with signal %d: %@d\n", @f);
}
