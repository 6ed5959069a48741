/* SPDX-License-Identifier: Apache-2.0 */
/* tolower and toupper change every letter, also behind the last whole word of the buffer.
 * @options: -q -x strsize=31 */
BEGIN
{
	printf("%s\n", toupper(strjoin("abcdefghijklmnopqrstuvwxyz", "abcdefghijklm")));
	printf("%s\n", tolower(strjoin("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "ABCDEFGHIJKLM")));
	exit(0);
}
