BEGIN {
	(int)x; (unsigned char)x + 1; (struct foo *)p->q; (foo_t)x; (foo_t *)x; (foo_t **)x;
	(x) + 1; (x) - 1; (x) * y; (x) & y; (uint64_t) - 1; (uint64_t)*p; (pid_t)+1;
	(int (*)(int, char *))x; (char [16])x; (const foo_t *)x; (foo_t const *)x;
	(string)x; (struct m`foo *)x; (mod`foo_t *)x; (void *)(x);
	(a)(b); (x)++; (x).y; (x)->y; (x)[1]; (int)-x; (int)(long)x;
}
