/* SPDX-License-Identifier: Apache-2.0 */
/* ERROR gets the id of the probe, the clause (from 0 on), the kind of fault and the address.
 * @options: -q
 * @filter: id epid pc
 * @expect-exit: 1 */
BEGIN
{
	printf("id %d\n", id);
}

BEGIN
{
	printf("before\n");
	*(int *)0x10;
	printf("after\n");
}

BEGIN
{
	printf("next\n");
	exit(1);
}

ERROR
{
	printf("ERROR %d %d %d %x\n", arg1, arg2, arg4, arg5);
}
