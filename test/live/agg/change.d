/* SPDX-License-Identifier: Apache-2.0 */
/* normalize, denormalize, clear, trunc to the highest, the lowest, to none.
 * @options: -q */
BEGIN
{
	@["a"] = sum(1000);
	@["b"] = sum(3000);
	@["c"] = sum(2000);
	normalize(@, 1000);
	printa("%s %@d\n", @);
	denormalize(@);
	trunc(@, 2);
	printa("%s %@d\n", @);
	trunc(@, -1);
	printa("%s %@d\n", @);
	clear(@);
	printa("%s %@d\n", @);
}

tick-20ms
{
	@["a"] = sum(5);
	printa("%s %@d\n", @);
	trunc(@);
	printa("none: %s %@d\n", @);
	exit(0);
}
