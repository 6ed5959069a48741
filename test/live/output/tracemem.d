/* SPDX-License-Identifier: Apache-2.0 */
/* tracemem: bytes as a dump; the third argument cuts it.
 * @options: -q */
BEGIN
{
	this->p = (char *)alloca(20);
	*(uint64_t *)this->p = 0x3736353433323130;
	*(uint64_t *)(this->p + 8) = 0x6665646362613938;
	*(uint32_t *)(this->p + 16) = 0x00696867;
	tracemem(this->p, 20);
	this->n = 3;
	tracemem(this->p, 20, this->n);
	exit(0);
}
