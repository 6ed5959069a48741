/* Statements with bodies, declarations in blocks. */
BEGIN
{
	int x = 3, *p, a[4];
	string s = "a";
	pid_t t;
	if (x) y = 1;
	if (x > 2) { y = 1; } else if (x) y = 2; else { @n = count(); }
	if (x) if (y) a = 1; else b = 2;
	for (int i = 0, j = 1; i < 10; i++) { if (i == j) continue; z += i; }
	for (;;) break;
	while (x--) ;
	do { x++; } while (x < 3);
	{ unsigned long long q = 7; trace(q); }
	x * y;
	trace(x)
}
