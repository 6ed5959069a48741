/* SPDX-License-Identifier: Apache-2.0 */
/* Division and remainder by zero, at run time.
 * @options: -q
 * @filter: id pc */
int zero;
uint64_t n;

BEGIN { n = 5; zero = 0; printf("%d\n", n / zero); }
BEGIN { printf("%d\n", 5 % zero); }
BEGIN { zero -= 3; printf("%d\n", 7 / zero); zero = 0; }
BEGIN { @ = avg(10 / zero); }
BEGIN { printf("end\n"); exit(0); }
