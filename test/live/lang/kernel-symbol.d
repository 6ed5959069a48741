/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel variable by name.
 * @options: -q
 * @needs: data-symbols */
BEGIN
{
	this->j = *(unsigned long *)&`jiffies;
	printf("%d\n", this->j != 0);
	exit(0);
}
