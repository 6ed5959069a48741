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

END
{
	printf("%d %d %d\n", odd, large, never);
}
