/* SPDX-License-Identifier: Apache-2.0 */
/* alloca: memory of the clause, as struct and as bytes.
 * @options: -q */
struct pair { int a; short b; char c[4]; };

BEGIN
{
	this->p = (struct pair *)alloca(sizeof (struct pair));
	this->p->a = -5;
	this->p->b = 300;
	this->p->c[0] = 'x';
	this->p->c[1] = 'y';
	this->p->c[2] = 0;
	this->q = (char *)this->p;
	printf("%d %d %s %d\n", this->p->a, this->p->b, stringof(this->p->c), (uint8_t)this->q[0]);
	this->r = (int *)alloca(16);
	this->r[0] = 1;
	this->r[3] = 4;
	*(this->r + 1) = 2;
	printf("%d %d %d\n", this->r[0], this->r[1], this->r[3]);
	this->s = (char *)alloca(4);
	bcopy(this->r, this->s, 4);
	printf("%d\n", this->s[0]);
	this->t = (char *)alloca(8);
	this->u = (char *)alloca(8);
	bcopy("abcdefgh", this->t, 8);
	this->u[0] = 'x';
	printf("%s %d\n", stringof(this->t), strlen(this->t));
	exit(0);
}
