/* SPDX-License-Identifier: Apache-2.0 */
/* Records appear when their speculation is committed, in that order; a clause may commit several.
 * @options: -q -x nspec=3 -x droptags */
BEGIN
{
	i = speculation();
	j = speculation();
	k = speculation();
	l = speculation();
	printf("ids %d %d %d %d\n", i, j, k, l);
}
BEGIN { speculate(i); printf("on %d\n", i); }
BEGIN { speculate(j); printf("on %d\n", j); }
BEGIN { speculate(k); printf("on %d\n", k); }
BEGIN { speculate(k); printf("again on %d\n", k); }
BEGIN { printf("before\n"); }
BEGIN { commit(k); commit(j); commit(i); }
BEGIN { printf("after\n"); }
BEGIN { commit(k); }
BEGIN { x = 1; speculate(k); printf("late\n"); x = 2; }
BEGIN { speculate(0); printf("none\n"); x = 3; }
BEGIN { speculate(99); printf("no such\n"); x = 4; }
BEGIN { printf("x %d\n", x); m = speculation(); printf("busy %d\n", m); exit(0); }
