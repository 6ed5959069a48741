/* SPDX-License-Identifier: Apache-2.0 */
/* Characters of strings, the rest of a string, strings as char *; what NULL is as all of these.
 * @options: -q
 * @stderr: any */
char *p;
struct pair { int a, b; };
this struct pair v;
self struct pair q;

BEGIN
{
	s = "ABCDEFG";
	this->i = 2;
	printf("%c %c %c %c\n", s[0], s[this->i], *s, "xyz"[2]);
	printf("[%s] [%s] [%s] [%s]\n", s + 2, 3 + s, s + 7, (s + 1) + 1);
	printf("%d %d %d\n", s[6], s[7], sizeof (s[0]));
	self->z = "hey";
	m["k"] = "yup";
	printf("%c %c %c\n", self->z[2], m["k"][1], strchr(s, 'C')[1]);
	printf("%d %d\n", execname[0] == (stringof(curthread->comm))[0], probeprov[0] == 'd');
	p = probename;
	printf("%c%c\n", p[0], *(p + 1));
	printf("%c\n", ((char *)s)[3]);
}

string short_text;
BEGIN /* characters and strings that are assigned in their place */
{
	this->t = "a/b/c";
	this->i = 1;
	this->t[this->i++] = '.';
	this->t[3] = 'x' + 1;
	self->t = this->t;
	self->t[4] = 0;
	printf("%d [%s] [%s] [%s]\n", this->i, this->t, self->t, short_text);
	@keys[self->t] = count();
	self->t = "a.by";
	@keys[self->t] = count();
	printa("[%s] %@d\n", @keys);
	this->p = (string *)alloca(16);
	*this->p = "hello";
	*(string *)((char *)this->p + 8) = strjoin(*this->p, "!");
	printf("%s %s\n", *this->p, stringof((char *)this->p + 8));
}
BEGIN { this->t = "a"; this->t[300] = 'x'; }
BEGIN { this->q = (string *)alloca(4); *this->q = "longer than that"; }

BEGIN { s = NULL; printf("%d", s[1]); }
BEGIN { printf("%d", strchr("abc", 'X')[1]); }
BEGIN { self->z = NULL; printf("%d", *self->z); }
BEGIN { m["k"] = NULL; printf("%d", m["k"][1]); }
char *np;
BEGIN { np = 0; printf("%d", np[3]); }
ERROR { printf("fault %d at %d\n", arg4, arg5); }

BEGIN
{
	t = "";
	m["k"] = "";
	printf("%d %d %d %d\n", s == NULL, t == NULL, m["k"] == NULL, m["none"] == NULL);
	m["k"] = 0;
	printf("%d\n", m["k"] == NULL);
	s = probename == "BEGIN" ? NULL : "x";
	t = probename == "END" ? "x" : s;
	k = probename == "END" ? s : "y";
	printf("%d %d %d\n", s == NULL, t == NULL, k == NULL);
	i = 0;
	n[0] = "zero";
	s = n[i++];
	t = probename == "BEGIN" ? n[i++ - 1] : "x";
	printf("%s %s %c %d\n", s, t, n[i++ - 2][0], i);
	this->v.a = 7;
	e[1] = this->v;
	e[2] = this->v;
	e[1] = 0;
	printf("%d %d\n", e[1].a, e[2].a);
	self->q = 0;
	self->p = this->v;
	printf("%d", self->p.a);
	self->p = 0;
	self->e[3] = this->v;
	self->e[3] = 0;
	printf(" %d %d %d\n", self->p.a, self->q.a, self->e[3].a);
	exit(0);
}
