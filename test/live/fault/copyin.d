/* SPDX-License-Identifier: Apache-2.0 */
/* Reading user memory: a bad address, and a page that is not in memory at entry but is at return.
 * @options: -q
 * @filter: id pc epid addr
 * @trigger: notresident file */
syscall::write:entry
/pid == $target && arg2 == 13/
{
	self->p = arg1;
	printf("entry %s\n", copyinstr(arg1));
}

syscall::write:entry
/pid == $target && arg2 == 13/
{
	self->p = arg1;
}

syscall::write:return
/self->p/
{
	printf("return [%s]\n", copyinstr(self->p));
	self->p = 0;
}

BEGIN
{
	printf("%s", copyinstr(8));
}
