/* SPDX-License-Identifier: Apache-2.0 */
/* print() of zeros: nothing inside; a text that begins with NUL is an empty one.
 * @options: -q
 * @filter: ptr */
struct s { int a; char b[5]; struct { long x; } in; char c[2]; };

BEGIN { t = (struct s *)alloca(sizeof (struct s)); print(t); t->b[2] = 'x'; print(t); exit(0); }
