/* SPDX-License-Identifier: Apache-2.0 */
/* -x aggzoom: bars as long as the highest row allows.
 * @options: -q -x aggzoom -x encoding=ascii */
BEGIN
{
	@ = lquantize(1, 0, 3, 1, 1);
	@ = lquantize(2, 0, 3, 1, 2);
	@ = lquantize(3, 0, 3, 1, 40);
	printa(@);
	setopt("aggzoom", "unset");
	exit(0);
}

END
{
	printa(@);
}
