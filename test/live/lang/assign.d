/* SPDX-License-Identifier: Apache-2.0 */
/* Assignment operators on narrow and wide variables, ++ and -- before and behind.
 * @options: -q */
int8_t c;
uint8_t uc;
uint16_t us;
int i;
uint64_t ul;

BEGIN
{
	c = 127; c += 1; uc = 255; uc++; us = 3; us -= 4; i = 7; i *= -3; ul = 1; ul <<= 40;
	printf("%d %d %d %d %d\n", c, uc, us, i, ul);
	i = -17; i /= 5; printf("%d ", i);
	i = -17; i %= 5; printf("%d ", i);
	i = 0xf0; i &= 0x3c; printf("%d ", i);
	i |= 3; printf("%d ", i);
	i ^= 1; printf("%d ", i);
	i = -64; i >>= 3; printf("%d\n", i);
	i = 5;
	printf("%d ", i++);
	printf("%d ", i);
	printf("%d ", ++i);
	printf("%d ", i--);
	printf("%d ", --i);
	this->a = this->b = 9;
	printf("%d\n", this->a + this->b);
	exit(0);
}
