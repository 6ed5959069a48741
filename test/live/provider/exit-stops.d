/* SPDX-License-Identifier: Apache-2.0 */
/* After exit() no probe fires but END; the rest of the clause is still done.
 * @options: -q
 * @expect-exit: 3 */
BEGIN { exit(3); printf("same clause\n"); }
BEGIN { printf("next clause\n"); }
syscall:::entry { printf("system call\n"); }
END { printf("END\n"); }
