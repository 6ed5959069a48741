/* SPDX-License-Identifier: Apache-2.0 */
/* Aggregations without printa are printed at the end: by value, keys to the left, in the order of the program. */
#pragma D option quiet

BEGIN
{
	@a["one"] = sum(3);
	@a["two"] = sum(1);
	@a["three"] = sum(2);
	@b[1, "x", 2] = count();
	@ = max(77);
	exit(0);
}
