/* SPDX-License-Identifier: Apache-2.0 */
/* freopen, system, setopt, ftruncate.
 * @options: -q -w */
BEGIN
{
	printf("to stdout\n");
	system("echo from the shell %d", 5);
	freopen("file.%d", 1);
	printf("to the file\n");
	freopen("");
	system("cat file.1");
	setopt("quiet", "1");
	exit(0);
}
