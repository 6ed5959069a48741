/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of self-> arrays and of arrays inside of associative arrays, by a variable index, are the right
 * ones, also when the assignment makes the variable. Values of assignments to bit fields are cut.
 * @options: -q */
struct row { int id; short cells[4]; };
struct bits { int low:3; unsigned high:5; };
self int a[4];
self int before, behind;
self struct row rows[3];
struct row table[int];
struct bits g;
int two;

BEGIN
{
	two = 2;
	self->a[two + 1] = 5;
	self->before = 1;
	self->behind = 2;
	self->a[two] = 4;
	self->a[two]++;
	self->rows[two].cells[two - 1] = 7;
	table[9].cells[two] = 8;
	table[9].cells[two] *= two;
	printf("%d %d %d %d %d %d\n", self->a[0], self->a[1], self->a[2], self->a[3], self->before, self->behind);
	printf("%d %d %d\n", self->rows[2].cells[1], self->rows[1].cells[1], self->rows[two].cells[two]);
	printf("%d %d %d\n", table[9].cells[2], table[9].cells[1], table[8].cells[two]);
}

BEGIN
{
	printf("%d ", (g.low = 12));
	printf("%d ", (g.high += 40));
	g.low = 3;
	printf("%d ", ++g.low);
	printf("%d %d\n", g.low--, g.low);
	printf("%s\n", strtok("abc", strtok("x,b", ",x")));
	exit(0);
}
