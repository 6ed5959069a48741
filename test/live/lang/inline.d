/* SPDX-License-Identifier: Apache-2.0 */
/* inline constants and expressions.
 * @options: -q */
inline int LIMIT = 10;
inline string NAME = "x" ;

BEGIN
{
	printf("%d %s\n", LIMIT * 2, NAME);
	exit(0);
}
