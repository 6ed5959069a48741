/* SPDX-License-Identifier: Apache-2.0 */
/* Normalising a standard deviation divides it, as it does any other value.
 * @options: -q */
BEGIN
{
	@s = stddev(100); @s = stddev(300);
	@n = stddev(-100); @n = stddev(-300);
	printa("%@d", @s);
	normalize(@s, 10); normalize(@n, 10);
	printa(" %@d", @s); printa(" %@d", @n);
	denormalize(@s);
	printa(" %@d\n", @s);
	trunc(@s); trunc(@n);
	exit(0);
}
