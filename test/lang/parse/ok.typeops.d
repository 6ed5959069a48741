BEGIN {
	sizeof (int); sizeof (struct foo); sizeof (foo_t); sizeof (foo_t *); sizeof x; sizeof (x).y;
	sizeof (x)->y; sizeof (x + 1); sizeof (int) + 1; sizeof -x; sizeof (mod`foo_t);
	sizeof (enum e); sizeof (int [3]);
	offsetof(struct foo, bar); offsetof(foo_t, self);
	stringof(x); stringof x; stringof (x)->y + 1;
	xlate <struct foo *> (x)->y; xlate <foo_t> (a, b);
}
