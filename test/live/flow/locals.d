/* SPDX-License-Identifier: Apache-2.0 */
/* Local variables: of all types, from their declaration to the end of their block.
 * @options: -q */
struct pair { int a; char b[6]; };
int x;
struct pair g;

BEGIN
{
	x = 100;
	g.a = 8;
	int i = -3;
	uint8_t small = 300;
	string s = "text", none;
	struct pair p, q = g;
	char buf[4];
	printf("%d %d %s [%s] %d %d %d\n", i, small, s, none, p.a, q.a, buf[3]);
	p.a = 5;
	p.b[1] = 'z';
	buf[2] = 9;
	printf("%d %c %d\n", p.a, p.b[1], buf[2]);
	if (i < 0) {
		int x = 1;
		int64_t deep = x + i;
		x++;
		printf("%d %d\n", x, deep);
	}
	printf("%d\n", x);
	{ int t = 1; i = t; }
	{ int t; printf("%d %d\n", t, i); }
	struct task_struct *me = curthread;
	printf("%d\n", me->pid == tid);
	s = strjoin(s, "!");
	printf("%s %d\n", s, none == NULL);
	exit(0);
}
