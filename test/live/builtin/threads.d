/* SPDX-License-Identifier: Apache-2.0 */
/* tid differs from thread to thread, pid does not.
 * @options: -q
 * @trigger: threads 5 */
int other;

syscall::getppid:entry
/pid == $target/
{
	@tids[tid] = count();
	@pids[pid] = count();
	other += tid != pid;
}

END
{
	printa("tid %@d\n", @tids);
	printa("pid %@d\n", @pids);
	printf("%d\n", other);
}
