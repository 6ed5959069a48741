/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of a clause share a number of iterations; one more is an error that ends the clause.
 * @options: -q -x loopmax=50
 * @filter: id pc */
BEGIN { int n = 0; while (n < 50) n++; printf("%d\n", n); }
BEGIN { int n = 0; while (n < 51) n++; printf("not %d\n", n); }
BEGIN
{
	for (int i = 0; i < 10; i++)
		for (int j = 0; j < 4; j++)
			@n = count();
	printf("nested\n");
}
BEGIN { printf("before\n"); while (1) { printf("."); } printf("not after\n"); }
BEGIN { for (int i = 0; i < 30; i++) ; for (int i = 0; i < 30; i++) ; printf("not both\n"); }
ERROR { printf("\nfault %d, %d iterations\n", arg4, arg5); }
BEGIN { exit(0); }
