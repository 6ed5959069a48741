/* SPDX-License-Identifier: Apache-2.0 */
/* Number bases, address families and hardware types that do not exist.
 * @options: -q
 * @filter: id pc */
int base;

BEGIN { base = 1; printf("%s\n", lltostr(5, base)); }
BEGIN { printf("%s\n", lltostr(5, 37)); }
BEGIN { base = -2; printf("%d\n", strtoll("5", base)); }
BEGIN { printf("%d\n", strtoll("5", 37)); }
BEGIN { printf("%d %s\n", strtoll("10", 36), lltostr(35, 36)); }
BEGIN { printf("%s\n", inet_ntop(3, &curthread->pid)); }
BEGIN { printf("%s\n", link_ntop(3, &curthread->pid)); }
BEGIN { printf("%d\n", rw_read_held(0)); }
BEGIN { exit(0); }
