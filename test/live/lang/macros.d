/* SPDX-License-Identifier: Apache-2.0 */
/* Macro variables and script arguments.
 * @options: -q
 * @args: 12 word "two words" 0x10 */
BEGIN
{
	printf("%d %s %s %d\n", $1, $$2, $$3, $4 + 1);
	printf("%d %d %d %d\n", $uid, $euid, $gid, $egid);
	printf("%d %d %d\n", $pid > 1, $ppid > 0, $sid > 0);
	printf("%s\n", basename($$0));
	exit(0);
}
