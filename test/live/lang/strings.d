/* SPDX-License-Identifier: Apache-2.0 */
/* Strings: assignment, comparison, as predicates, cut at strsize, empty.
 * @options: -q -x strsize=16 */
string a, b;

BEGIN
{
	a = "abc";
	b = a;
	printf("%d %d %d %d %d %d\n", a == b, a != b, a < "abd", a > "ab", "" < a, "abc" <= a);
	b = "0123456789abcdefXYZ";
	printf("[%s] %d\n", b, strlen(b));
	b = "";
	printf("[%s] %d %d\n", b, strlen(b), b == "");
	printf("%s\n", a == "abc" ? "yes" : "no");
	exit(0);
}
