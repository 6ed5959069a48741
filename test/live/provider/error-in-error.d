/* SPDX-License-Identifier: Apache-2.0 */
/* An error in a clause of ERROR is a drop of its own kind and fires nothing.
 * @options: -q -x droptags
 * @filter: id pc */
BEGIN { trace(*(int *)0); }
ERROR { n++; trace(*(int *)0); }
BEGIN { printf("%d\n", n); exit(0); }
