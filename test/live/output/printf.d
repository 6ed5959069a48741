/* SPDX-License-Identifier: Apache-2.0 */
/* Every conversion of printf, with flags, widths, precisions.
 * @options: -q */
int i;
int64_t l;
uint8_t uc;
char c;
string s;

BEGIN
{
	i = -42;
	l = 1234567890123;
	uc = 200;
	c = 'A';
	s = "some\twith \"quotes\"";
	printf("%d %i %u %x %X %o %p\n", i, i, i, i, i, i, l);
	printf("%5d|%-5d|%05d|%+d|% d|%'d\n", i, i, i, 42, 42, 42);
	printf("%ld %lld %hd %hhd %lx\n", l, l, (short)l, (char)l, l);
	printf("%d %u %x\n", uc, uc, uc);
	printf("%#x %#o %.5d %8.3d|\n", 255, 8, 42, 7);
	printf("%c%c [%5c] %C %C\n", c, 66, 'x', '\n', 1);
	printf("%s|%.4s|%20.4s|%-6.2s|\n", s, s, s, s);
	printf("%S\n", s);
	printf("%*d|%-*d|%.*d|%*.*s|\n", 6, 1, 6, 2, 4, 3, 6, 2, s);
	printf("%%|\n");
	printf("%x %d\n", -1, -1);
	printf("%x %d\n", (int64_t)-1, (uint32_t)-1);
	printf("%s %d\n", "literal", sizeof (int));
	exit(0);
}
