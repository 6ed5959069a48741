/* SPDX-License-Identifier: Apache-2.0 */
/* A fault fires ERROR in the thread that caused it.
 * @options: -q
 * @filter: id pc epid
 * @stderr: any
 * @trigger: getppid 3 */
syscall::getppid:entry
/pid == $target/
{
	self->mark = 1;
	trace(*(int *)arg9);
}

ERROR
{
	printf("%d %d %s\n", pid == $target, self->mark, execname);
}
