/* SPDX-License-Identifier: Apache-2.0 */
/* Ids beyond nspec are an illegal operation; a fault behind commit() leaves the speculation as it was.
 * @options: -q
 * @filter: pc id */
int zero;

BEGIN { i = speculation(); zero = 0; }
BEGIN { speculate(i); printf("held\n"); }
BEGIN { commit(2); }
BEGIN { discard(-1); }
BEGIN { commit(i); x = 1 / zero; }
BEGIN { speculate(i); printf("still active\n"); }
BEGIN { speculate(i); printf("%d is not shown\n", 1 / zero); }
BEGIN { commit(i); }
BEGIN { exit(0); }
