/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers to text and back, byte order, device numbers.
 * @options: -q */
int64_t n;
uint32_t u;

BEGIN
{
	n = -255;
	u = 0x01020304;
	printf("%s %s %s %s\n", lltostr(n), lltostr(0), lltostr(255, 16), lltostr(8, 8));
	printf("%d %d %d\n", strtoll("-42"), strtoll("ff", 16), strtoll("0x1f", 16));
	printf("%x %x %x\n", htons(0x0102), htonl(u), htonll(0x0102030405060708));
	printf("%x %x %x\n", ntohs(0x0201), ntohl(0x04030201), ntohll(0x0807060504030201));
	printf("%d %d\n", getmajor(0x800005), getminor(0x800005));
	printf("%x %x\n", getmajor(0xabcdef0123456789), getminor(0xabcdef0123456789));
	printf("[%s] [%s]\n", tolower("AbC-1"), toupper("AbC-1"));
	exit(0);
}
