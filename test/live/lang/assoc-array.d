/* SPDX-License-Identifier: Apache-2.0 */
/* Associative arrays whose elements are arrays: elements of these are made when one is assigned, 0 deletes all.
 * @options: -q */
int a[int][4];
self int m[string, int][2][3];
char name[int][8];
int plain[3];
BEGIN {
  a[1][2] = 7; a[1][0]++; a[5][3] += 9; a[5][3] += 1;
  for (int i = 0; i < 4; i++) a[9][i] = i * i;
  printf("%d %d %d %d %d %d\n", a[1][2], a[1][0], a[1][1], a[5][3], a[9][3], a[77][1]);
  self->m["x", 1][1][2] = 5; self->m["y", 1][0][0] = 6;
  printf("%d %d %d\n", self->m["x", 1][1][2], self->m["x", 1][0][0], self->m["y", 1][0][0]);
  name[3][0] = 'h'; name[3][1] = 'i'; printf("%s|\n", stringof(name[3]));
  a[2][3] = a[9][3]; printf("%d\n", a[2][3]);
  plain[1] = 4; plain[2] = a[2][plain[1] - 1]; printf("%d\n", plain[2]);
  @[a[9]] = count();
  trace(a[9]); printf("\n"); print(a[9]); self->m["x", 1] = 0; printf("%d\n", self->m["x", 1][1][2]);
  a[9] = 0; printf("%d\n", a[9][3]);
  j = 0; a[j++][j++] = 3; printf("%d %d\n", j, a[0][1]);
  printf("%d\n", a[1][2]);
  exit(0);
}
