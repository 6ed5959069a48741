/* SPDX-License-Identifier: Apache-2.0 */
/* Predicates of every type, and their order: a clause whose predicate is false does nothing.
 * @options: -q
 * @trigger: writes 1 2 3 4 5 */
int odd, large, others, never;

syscall::write:entry
/pid == $target && arg2 % 2/
{
	odd++;
}

syscall::write:entry
/pid == $target && execname == "trigger" && probefunc == "write" && arg2 > 3/
{
	large += arg2;
}

syscall::write:entry
/pid != $target/
{
	others++;
}

syscall::write:entry
/0/
{
	never++;
}

/* Assignments in predicates: the actions have keys that only they give a type */
BEGIN
/this->fd = 5/
{
	since[this->fd] = timestamp;
	self->n[this->fd, 1] = 7;
	@found[this->fd] = sum(this->fd);
}

BEGIN
/(this->t = since[5]) && (this->n = self->n[5, 1])/
{
	printf("%d %d\n", timestamp - this->t >= 0, this->n);
	@found[6] = sum(1);
}

END
{
	printf("%d %d %d\n", odd, large, never);
	printa("%d %@d\n", @found);
}
