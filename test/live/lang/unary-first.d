/* SPDX-License-Identifier: Apache-2.0 */
/* !self->x, !a[k], -this->x of what nothing is assigned to yet: an int64_t, which is 0.
 * @options: -q */
BEGIN
/!self->x && !a["k", 1]/
{
	printf("%d %d %d %d\n", -self->x, ~self->x, +a["k", 1], sizeof (self->x));
	self->x = 0x123456789a;
	a["k", 1] = -5000000000;
}

BEGIN
/self->x && !self->never/
{
	printf("%x %d %d\n", self->x, a["k", 1], !a["l", 1]);
	exit(0);
}
