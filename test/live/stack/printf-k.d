/* SPDX-License-Identifier: Apache-2.0 */
/* %k in printf and printa; with stackindent.
 * @options: -q -x stackindent=4
 * @filter: offset
 * @trigger: chain 2 */
syscall::getppid:entry
/pid == $target/
{
	@[ustack(2), "x"] = count();
	ustack(2);
}

END
{
	printa("<%k>%s %@d\n", @);
	printa(@);
}
