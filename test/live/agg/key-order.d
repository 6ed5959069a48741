/* SPDX-License-Identifier: Apache-2.0 */
/* Integer keys sort without their sign; those of 8 and 16 bits are shown without it, too.
 * A key may be the width of the next.
 * @options: -q -x aggsortkey */
BEGIN
{
	@c[(char)-2] = sum(-2);
	@c[(char)1] = sum(1);
	@s[(short)-2] = sum(-2);
	@s[(short)1] = sum(1);
	@i[-2] = sum(-2);
	@i[1] = sum(1);
	@l[-2L] = sum(-2);
	@l[1L] = sum(1);
	@w[10, 100] = sum(1);
	@w[-10, 200] = sum(2);
	printa("<%*d>", @w);
	printa("<%-*d|%@d>\n", @w);
	exit(0);
}
