/* SPDX-License-Identifier: Apache-2.0 */
/* String subroutines against their definition.
 * @options: -q */
string e, p;

BEGIN
{
	e = "";
	p = "foobarbar";
	printf("%d %d\n", strlen(p), strlen(e));
	printf("[%s] [%s]\n", strjoin(p, "/x"), strjoin(e, e));
	printf("[%s] [%s] [%s]\n", substr(p, 3), substr(p, 0, 3), substr(p, -3));
	printf("[%s] [%s]\n", substr(p, 2, -2), substr(p, 20));
	printf("%d %d %d %d\n", index(p, "bar"), index(p, "bar", 4), index(p, "zip"), index(p, ""));
	printf("%d %d\n", index(p, "foo", -5), index(p, "foo", 1));
	printf("%d %d %d\n", rindex(p, "bar"), rindex(p, "bar", 5), rindex(p, "zip"));
	printf("[%s] [%s] [%s]\n", strchr(p, 'b'), strrchr(p, 'b'), strstr(p, "arb"));
	printf("%d %d\n", strchr(p, 'z') == NULL, strstr(p, "zip") == NULL);
	exit(0);
}
