/* SPDX-License-Identifier: Apache-2.0 */
/* %a, %p, sym, func, mod of a kernel address.
 * @options: -q
 * @needs: data-symbols */
BEGIN
{
	printf("%a\n", (uintptr_t)&`jiffies);
	printf("[%a]\n", 1);
	exit(0);
}
