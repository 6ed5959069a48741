/* SPDX-License-Identifier: Apache-2.0 */
/* print(): members of every kind; zeros are left out; printsize cuts.
 * @options: -q
 * @filter: ptr */
enum eh { FIRSTVAL = 0, SECONDVAL = 1, THIRDVAL = 3 };
struct inner { long x; struct { int y; } in; };
struct test {
	int a;
	char b[5];
	union { uint8_t c; uint64_t d; } u;
	struct { void *e; uint64_t f; } s;
	bool g;
	enum eh h;
	int zero;
	int arr[3];
	short m[2][2];
	struct inner i[2];
	int bf1 : 3;
	unsigned bf2 : 7;
	unsigned char raw[3];
};

BEGIN
{
	t = (struct test *)alloca(sizeof (struct test));
	t->a = -1;
	t->b[0] = 'a';
	t->b[1] = '\n';
	t->b[2] = 'c';
	t->u.d = 0x1234;
	t->s.e = (void *)0xffff9b7aca7e0000;
	t->s.f = (uint64_t)-1;
	t->g = 1;
	t->h = THIRDVAL;
	t->arr[1] = 5;
	t->m[1][0] = -3;
	t->i[1].in.y = 7;
	t->bf1 = -2;
	t->bf2 = 100;
	t->raw[0] = 200;
	print(t);
	print(*t);
	print(t->i);
	print(t->s);
	print(t->b);
	print(t->a);
	print(t->bf1);
	print(t->h);
	print(&t->arr[1]);
	print("a \"string\"\t.");
	this->i8 = (int8_t)-3;
	print(this->i8);
	this->e = (enum eh)2;
	print(this->e);
}
BEGIN { setopt("printsize", "8"); exit(0); }
