/* SPDX-License-Identifier: Apache-2.0 */
/* Casts cut and extend as in C.
 * @options: -q */
int64_t x;

BEGIN
{
	x = 0x123456789abcdef0;
	printf("%d %d %d %d\n", (int8_t)x, (uint8_t)x, (int16_t)x, (uint16_t)x);
	printf("%d %u %d\n", (int32_t)x, (uint32_t)x, (char)-1);
	x = -1;
	printf("%u %u %u %x\n", (uint8_t)x, (uint16_t)x, (uint32_t)x, (uint64_t)x);
	printf("%d\n", (int)(char)300);
	printf("%s\n", (string)"cast");
	exit(0);
}
