/* SPDX-License-Identifier: Apache-2.0 */
/* basename, dirname, cleanpath.
 * @options: -q */
string a;

BEGIN
{
	a = "/usr/lib/libc.so";
	printf("[%s] [%s]\n", basename(a), dirname(a));
	printf("[%s] [%s] [%s] [%s]\n", basename("/"), basename(""), basename("a"), basename("/a/b/"));
	printf("[%s] [%s] [%s] [%s] [%s]\n", dirname("/"), dirname(""), dirname("a"), dirname("/a"),
	    dirname("/a/b/"));
	printf("[%s] [%s] [%s] [%s]\n", cleanpath("/a/./b//c"), cleanpath("/a/../b"), cleanpath("/../x"),
	    cleanpath("/"));
	exit(0);
}
