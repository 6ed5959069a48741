/* SPDX-License-Identifier: Apache-2.0 */
/* NULL and bad addresses are D errors: the clause ends, the next clause and the program go on.
 * @options: -q
 * @filter: id pc */
int *p;

BEGIN
{
	p = NULL;
	printf("a %d\n", *p);
	printf("never\n");
}

BEGIN
{
	printf("b\n");
	trace(*(uint64_t *)0xdead0000beef0000);
}

BEGIN
{
	this->t = (struct task_struct *)0;
	printf("c\n");
	printf("%d\n", this->t->pid);
}

BEGIN
{
	printf("%s\n", stringof((char *)0x20));
}

BEGIN
{
	printf("d\n");
	exit(0);
}
