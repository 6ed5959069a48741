/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses as text.
 * @options: -q */
BEGIN
{
	this->a = (uint32_t *)alloca(4);
	*this->a = htonl(0xc0a80164);
	printf("%s\n", inet_ntoa(this->a));
	this->b = (uint8_t *)alloca(16);
	*(uint64_t *)this->b = 0;
	*((uint64_t *)this->b + 1) = 0;
	this->b[0] = 0x20;
	this->b[1] = 0x01;
	this->b[2] = 0x0d;
	this->b[3] = 0xb8;
	this->b[15] = 1;
	printf("%s\n", inet_ntoa6((struct in6_addr *)this->b));
	printf("%s %s\n", inet_ntop(2, this->a), inet_ntop(10, this->b));
	*(uint64_t *)this->b = 0;
	*((uint64_t *)this->b + 1) = 0;
	this->b[12] = 10;
	this->b[15] = 7;
	printf("%s %s\n", inet_ntoa6((struct in6_addr *)this->b), inet_ntoa6((struct in6_addr *)this->b, 1));
	this->b[10] = this->b[11] = 255;
	printf("%s %s\n", inet_ntoa6((struct in6_addr *)this->b), inet_ntoa6((struct in6_addr *)this->b, 1));
	printf("%s\n", link_ntop(1, this->b));
	this->c = (uint8_t *)alloca(20);
	this->c[0] = 0x80;
	this->c[1] = 0xfe;
	this->c[19] = 0xa9;
	printf("%s\n", link_ntop(32, this->c));
	exit(0);
}
