/* SPDX-License-Identifier: Apache-2.0 */
/* Every form of constant; '\'' is two characters in DTrace.
 * @options: -q */
enum colour { RED, GREEN = 5, BLUE };

BEGIN
{
	printf("%d %d %d %d %u\n", 010, 0x1F, 1000000000000, 5L, 0xffffffffu);
	printf("%d %d %d %d %d\n", 'a', '\n', '\0', '\'', '\101');
	printf("%d %d\n", 'ab', 'abcd');
	printf("%d %d %d\n", RED, GREEN, BLUE);
	printf("%d %d\n", sizeof (1), sizeof (1L));
	printf("%d %d\n", 1 << 31 << 2, 1 << 33); /* of 64 bits, shown as int */
	printf("[%s]\n", "tab\there \"quoted\" \\ \x41\102");
	exit(0);
}
