/* SPDX-License-Identifier: Apache-2.0 */
/* An assignment as a value: its target is evaluated once, strings, structs and NULL included.
 * @options: -q */
struct s { int a; char b[4]; int c; };
struct s st[int];
struct s g; self struct s ts;
string arr[int];
self string ss;
BEGIN {
 i = 0; arr[9]="";
 x = (arr[i++] = "z"); printf("%s %s %d\n", x, arr[0], i);
 y = (self->ss = strjoin("a", x)); printf("%s %s\n", y, self->ss);
 g.a = 7; g.c = 8;
 i = 0;
 g2 = (st[i++] = g); printf("%d %d %d %d\n", g2.a, g2.c, st[0].a, i);
 printf("%d %d\n", (st[i++] = g).c, i);
 if ((arr[i++] = "q") == "q") printf("eq %d %s\n", i, arr[2]);
 if ((arr[i++] = 0) != NULL) printf("no\n"); else printf("null %d\n", i);
 if ((arr[i++] = "") != NULL) printf("set %d\n", i);
 z = (arr[i++] = 0); printf("%d %d\n", z == NULL, i);
 printf("%s %d\n", arr[i++] = strjoin("dw", "!") , i);
 k = (self->ts = g).c; printf("%d %d\n", k, self->ts.a);
 arr[i++] = arr[i++] = "two"; printf("%d %s\n", i, arr[i-1]);
 exit(0);
}
