/* SPDX-License-Identifier: Apache-2.0 */
/* Lists, globs and several clauses of one probe run in program order.
 * @options: -q
 * @trigger: getppid */
syscall::getppid:entry, syscall::getppid:return
/pid == $target/
{
	printf("1 %s\n", probename);
}

syscall::getp*id:entry
/pid == $target/
{
	printf("2 %s:%s\n", probefunc, probename);
}

syscall::getppid:
/pid == $target/
{
	printf("3 %s\n", probename);
}

syscall::[a-g]etpp?d:ret*
/pid == $target/
{
	printf("4\n");
}
