/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of characters that look like text are shown as text; structs, unions and other arrays never are. A string is
 * cut at strsize.
 * @options: -q -x strsize=8 */
struct { int8_t x; } one;
union { short s; char c[2]; } u;
short n[3];
char text[6], bytes[6];

BEGIN
{
	one.x = '4';
	trace(one);
	u.s = 0x4241;
	trace(u);
	n[0] = 0x7464;
	n[1] = 0x6172;
	n[2] = 0x6563;
	trace(n);
	text[0] = 'h';
	text[1] = 'i';
	trace(text);
	bytes[0] = 1;
	trace(bytes);
	printf("[%s]", "abcdefghij");
	trace("abcdefghij");
	@["abcdefghij"] = count();
	@["abcdefgxyz"] = count();
	exit(0);
}
