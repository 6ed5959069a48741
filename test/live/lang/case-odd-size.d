/* SPDX-License-Identifier: Apache-2.0 */
/* tolower and toupper change every letter, also after the last whole word of the buffer of 31 bytes.
 * @options: -q -x strsize=30 */
BEGIN
{
	printf("%s\n", toupper(strjoin("abcdefghijklmnopqrstuvwxyz", "abcdefghijklm")));
	printf("%s\n", tolower(strjoin("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "ABCDEFGHIJKLM")));
	exit(0);
}
