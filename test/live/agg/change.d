/* SPDX-License-Identifier: Apache-2.0 */
/* Changes are made when their record is read, as in DTrace: later ones need time to pass.
 * normalize, denormalize, clear, trunc to the highest, the lowest, to none.
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

tick-300ms
{
	@["a"] = sum(5);
	printa("%s %@d\n", @);
	trunc(@);
	printa("none: %s %@d\n", @);
	exit(0);
}
