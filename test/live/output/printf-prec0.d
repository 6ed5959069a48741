/* SPDX-License-Identifier: Apache-2.0 */
/* A precision of 0 is none, in the format and as an argument.
 * @options: -q */
BEGIN
{
	s = "hello";
	printf("[%.0s] [%.1s] [%7.0s] [%.*s] [%.*s] [%.0d]\n", s, s, s, 0, s, 2, s, 0);
	exit(0);
}
