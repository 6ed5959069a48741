/* SPDX-License-Identifier: Apache-2.0 */
/* Thread-local variables: each thread has its own, 0 deletes, arrays too.
 * @options: -q
 * @trigger: threads 8 */
syscall::getppid:entry
/pid == $target/
{
	self->seen++;
	self->t = tid;
	self->name = execname;
	self->a[1, "x"] = tid * 2;
}

syscall::getppid:return
/pid == $target && self->t == tid && self->seen == 1 && self->a[1, "x"] == tid * 2 && self->name == "trigger"/
{
	good++;
	self->t = 0;
	self->a[1, "x"] = 0;
	self->name = 0;
}

syscall::getppid:return
/pid == $target && self->t == 0 && self->a[1, "x"] == 0 && self->name == ""/
{
	gone++;
}

END
{
	printf("%d %d\n", good, gone);
}
