/* SPDX-License-Identifier: Apache-2.0 */
/* printsize: "..." stands where the next member would be, in front of the braces that are still open.
 * @options: -q
 * @filter: ptr */
struct s {
	long x;
	struct { long x; struct { long x; struct { long x; } c; } b; } a;
	int arr[4];
	char text[8];
};

BEGIN
{
	t = (struct s *)alloca(sizeof (struct s));
	t->x = 1;
	t->a.x = 2;
	t->a.b.x = 3;
	t->a.b.c.x = 4;
	t->arr[0] = 5;
	t->arr[3] = 6;
	t->text[0] = 't';
	t->text[1] = 'u';
	setopt("printsize", "64"); print(t);
	setopt("printsize", "49"); print(t);
	setopt("printsize", "40"); print(t); print(t->arr);
	setopt("printsize", "32"); print(t);
	setopt("printsize", "24"); print(t);
	setopt("printsize", "9"); print(t); print(t->arr);
	setopt("printsize", "7"); print(t);
	setopt("printsize", "0"); print(t); print(t->x);
	exit(0);
}
