/* SPDX-License-Identifier: Apache-2.0 */
/* Size prefixes, floating point, wide characters: every conversion there is.
 * @options: -q */
struct num {
	union { uint64_t bits; double d; } f;
	union { uint32_t bits; float f; } g;
	int w[5];
	long double ld;
};

BEGIN
{
	this->h = (short)-2; this->uh = (unsigned short)65534; this->hh = (char)-3; this->uhh = (unsigned char)253;
	this->l = (long)-1234567890123; this->ul = (unsigned long)255; this->ll = (long long)-5;
	this->ull = (unsigned long long)255; this->c = 'b';
	printf("%hd %hi %ho %hu %hx %hX\n", this->h, this->h, this->uh, this->uh, this->uh, this->uh);
	printf("%hhd %hhi %hho %hhu %hhx %hhX\n", this->hh, this->hh, this->uhh, this->uhh, this->uhh, this->uhh);
	printf("%ld %li %lo %lu %lx %lX\n", this->l, this->l, this->ul, this->ul, this->ul, this->ul);
	printf("%lld %lli %llo %llu %llx %llX\n", this->ll, this->ll, this->ull, this->ull, this->ull, this->ull);
	printf("%d %i %o %u %x %X %p\n", -1, -1, 8, 4294967295, 255, 255, 4096);
	printf("%c%lc%wc %C|%s %S\n", 'a', 'b', 'c', 7, "s", "u\n");
	n = (struct num *)alloca(sizeof (struct num));
	n->f.bits = 0x400921fb54442d18;
	n->g.bits = 0x3fc00000;
	printf("%f %.2e %E %g %G %5.1f|\n", n->f.d, n->f.d, n->g.f, n->g.f, n->f.d, n->f.d);
	n->w[0] = 'h';
	n->w[1] = 0x20ac;
	n->w[2] = 0x1f600;
	n->w[3] = 0xd800;
	printf("%ws|%ls|%10.1ws|\n", n->w, n->w, n->w);
	printf("%Lf %Le %LE %Lg %LG\n", n->ld, n->ld, n->ld, n->ld, n->ld);
	printf("%*d|%-*d|%%|%.*s\n", 5, 42, 5, 42, 2, "abc");
	exit(0);
}
