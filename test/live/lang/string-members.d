/* SPDX-License-Identifier: Apache-2.0 */
/* Members that are strings, in elements of associative arrays: each keeps its place, NULL removes one and not the element.
 * @options: -q */
struct pair { string a; string b; int n; } e[int], v; 
self struct pair t;
struct pair w[int, string];
BEGIN {
	e[1].a = "one"; e[1].b = "eins"; e[1].n = 1;
	e[2].b = "zwei"; e[2].n = 2;
	printf("%s %s %d\n", e[1].a, e[1].b, e[1].n);
	printf("|%s| %s %d\n", e[2].a, e[2].b, e[2].n);
	e[1].a = NULL;
	printf("|%s| %s %d\n", e[1].a, e[1].b, e[1].n);
	e[1].b = e[2].b; e[2].b = strjoin(e[1].b, "!");
	printf("%s %s %d\n", e[1].b, e[2].b, e[2].n);
	w[1, "x"].b = (e[7].a = "put");
	printf("%s %s|%s|\n", w[1, "x"].b, e[7].a, e[8].b);
	e[9].a = NULL;
	exit(0);
}
