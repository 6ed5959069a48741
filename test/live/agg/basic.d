/* SPDX-License-Identifier: Apache-2.0 */
/* count, sum, avg, min, max, stddev with signed and unsigned values.
 * @options: -q */
int i;
uint64_t u;

BEGIN { i = -5; u = 10; @c = count(); @s = sum(i); @a = avg(i); @mi = min(i); @ma = max(i); @sd = stddev(i);
	@us = sum(u); }
BEGIN { i = 8; u = 0xffffffffffffff00; @c = count(); @s = sum(i); @a = avg(i); @mi = min(i); @ma = max(i);
	@sd = stddev(i); @um = max(u); }
BEGIN { i = 3; @c = count(); @s = sum(i); @a = avg(i); @mi = min(i); @ma = max(i); @sd = stddev(i); }

BEGIN
{
	printa("%@d\n", @c);
	printa("%@d\n", @s);
	printa("%@d\n", @a);
	printa("%@d\n", @mi);
	printa("%@d\n", @ma);
	printa("%@d\n", @sd);
	printa("%@u\n", @us);
	printa("%@u\n", @um);
	exit(0);
}
