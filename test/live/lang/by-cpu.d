/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays that only the number of the CPU indexes: default 0, values of each type, and beside them such that something else indexes, too.
 * @options: -q */
int n[int];
char c[int];
int64_t at[int];
int both[int];
string names[int];

BEGIN
{
	printf("%d %d %d %d\n", n[cpu], c[cpu], at[cpu], both[cpu]);
	n[cpu] += 15;
	c[cpu] = 300;
	at[cpu] = 0x123456789abcLL;
	names[cpu] = "one";
	both[cpu] = 1;
	both[-1] = 2;
	printf("%d %d %x %s %d %d\n", n[cpu]++, c[cpu], at[cpu], names[cpu], both[cpu], both[-1]);
	printf("%d %d\n", n[cpu], both[cpu + 1]);
	n[cpu] = 0;
	printf("%d %s\n", n[cpu], at[cpu] ? "some" : "none");
	exit(0);
}
