/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes and indices beyond the bounds, known at run time only.
 * @options: -q -x scratchsize=64
 * @filter: id pc */
int n;
int array[4];

BEGIN { n = 64; this->p = alloca(n); printf("64 bytes\n"); }
BEGIN { this->p = alloca(n + 1); printf("not 65\n"); }
BEGIN { this->p = alloca(8); bcopy(curthread, this->p, n + 1); printf("no\n"); }
BEGIN { n = 3; array[n] = 5; printf("%d\n", array[n]); }
BEGIN { array[n + 1] = 6; printf("no\n"); }
BEGIN { printf("%d\n", array[n - 4]); }
BEGIN { bcopy(curthread, alloca(8), 9); printf("no\n"); }
BEGIN { copyinto(0, 17, alloca(8)); printf("no\n"); }
BEGIN { exit(0); }
