/* SPDX-License-Identifier: Apache-2.0 */
/* Options in the script, several clauses, C++ comments.
 * @expect-exit: 3
 * @args: 5 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option strsize=8
#pragma D option destructive

string s;
BEGIN { s = "123456789"; printf("%s %d %d [%s]\n", s, $1, $2, $$3); exit(3); }
