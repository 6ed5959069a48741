/* SPDX-License-Identifier: Apache-2.0 */
/* Records that are discarded, or never committed, are not shown; discard() may stand beside other data. Clauses that
 * only commit or discard show nothing; one that only speculates shows its probe.
 * @options: -x nspec=4
 * @filter: ids */
BEGIN { i = speculation(); j = speculation(); k = speculation(); }
BEGIN { speculate(i); trace("discarded"); }
BEGIN { speculate(j); trace("never committed"); }
BEGIN { speculate(k); trace("committed"); }
BEGIN { speculate(k); }
BEGIN { discard(i); }
BEGIN { discard(0); commit(i); }
BEGIN { trace("first"); discard(k + 1); }
BEGIN { commit(k); }
BEGIN { discard(k); commit(k); }
BEGIN { exit(0); }
END { speculate(j); trace("at the end"); }
