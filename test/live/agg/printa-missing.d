/* SPDX-License-Identifier: Apache-2.0 */
/* Joined by their keys: what an aggregation lacks is zero or an empty distribution. An aggregation that is empty when
 * printa() shows it is shown again at the end.
 * @options: -q */
BEGIN
{
	@a["x"] = quantize(5);
	@b["y"] = sum(7);
	printa(@a, @b);
	exit(0);
}

BEGIN { printa("never %@d\n", @late); }
END { @late = sum(9); }
