/* SPDX-License-Identifier: Apache-2.0 */
/* tracemem: bytes as a dump; the third argument cuts it.
 * @options: -q */
BEGIN
{
	this->p = (char *)alloca(20);
	bcopy("0123456789abcdefghi", this->p, 20);
	tracemem(this->p, 20);
	this->n = 3;
	tracemem(this->p, 20, this->n);
	exit(0);
}
