/* SPDX-License-Identifier: Apache-2.0 */
/* Binding strength and associativity: the classical traps.
 * @options: -q */
int a, b, c;

BEGIN
{
	a = 7; b = 3; c = 2;
	printf("%d %d %d\n", a - b - c, a - b * c, (a - b) * c);
	printf("%d %d %d\n", a << b + c, a & b == c, (a & b) == c + 1);
	printf("%d %d %d\n", a | b ^ c & 1, !a == 0, -a % 4);
	printf("%d %d\n", a > b ? b > c ? 1 : 2 : 3, a < b ? 1 : b < c ? 2 : 3);
	printf("%d %d %d\n", 1 || 0 && 0, 1 ^^ 1 || 1, sizeof (int) * 2);
	printf("%d\n", ~a + 1);
	exit(0);
}
