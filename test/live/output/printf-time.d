/* SPDX-License-Identifier: Apache-2.0 */
/* %Y and %T: the date of a time in ns since 1970.
 * @options: -q */
BEGIN
{
	printf("%Y\n", 123780000000000000);
	printf("%T\n", 123780000000000000);
	printf("[%25Y] [%-25Y]\n", (int64_t)0, (int64_t)0);
	exit(0);
}
