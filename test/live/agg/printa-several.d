/* SPDX-License-Identifier: Apache-2.0 */
/* printa of several aggregations: keys joined, missing values 0; %@ in any place.
 * @options: -q */
BEGIN
{
	@a["x"] = sum(1);
	@a["y"] = sum(2);
	@b["y"] = max(20);
	@b["z"] = max(30);
	printa("%@d %-3s %@5d|\n", @a, @b);
	printa(@a, @b);
	printa("%s\n", @a);
	printa("%10s: %@x %@08d\n", @b, @b);
	exit(0);
}
