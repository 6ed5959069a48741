/* SPDX-License-Identifier: Apache-2.0 */
/* BEGIN first, END last, each once, clauses in program order; exit() in between.
 * @options: -q
 * @expect-exit: 7 */
END { printf("END 1\n"); }
tick-5ms { printf("tick\n"); exit(7); }
BEGIN { printf("BEGIN 1\n"); }
BEGIN { printf("BEGIN 2\n"); }
END { printf("END 2\n"); }
