/* SPDX-License-Identifier: Apache-2.0 */
/* A fault in a predicate.
 * @options: -q
 * @filter: id pc */
int zero;

BEGIN /1 / zero/ { printf("never\n"); }
BEGIN { printf("next\n"); exit(0); }
ERROR { printf("ERROR %d %d\n", arg1, arg2); }
