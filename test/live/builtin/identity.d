/* SPDX-License-Identifier: Apache-2.0 */
/* The thread that fires: its ids and names.
 * @options: -q
 * @trigger: getppid */
syscall::getppid:entry
/pid == $target/
{
	printf("%d %d %d\n", tid == pid, ppid == $pid, uid + gid);
	printf("[%s] %d %d\n", execname, strlen(execname), threadname == execname);
	printf("%d %d\n", pid == curthread->tgid, cpu == curthread->thread_info.cpu);
	printf("%d %d\n", id > 0, epid);
	printf("%d\n", zonename == (container == "" ? "global" : container));
	printf("%d %d\n", cgroup > 0, strlen(container) == 0 || strlen(container) >= 12);
}
