/* SPDX-License-Identifier: Apache-2.0 */
/* A stack as a key: equal stacks are one row.
 * @options: -q
 * @filter: offset
 * @trigger: chain 10 */
syscall::getppid:entry
/pid == $target/
{
	@[ustack(3)] = count();
}

END
{
	printa("%k%@d\n", @);
}
