/* SPDX-License-Identifier: Apache-2.0 */
/* epid counts the clauses, once for each of their probe descriptions; id is the one that -l shows.
 * @options: -q */
BEGIN { printf("%d\n", epid); this->id = id; }
BEGIN { printf("%d %d\n", epid, id == this->id); }
BEGIN { printf("%d %d\n", epid, arg0 == 0 && arg9 == 0); exit(0); }
END { printf("%d %d\n", epid, id != this->id); }
