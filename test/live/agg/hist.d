/* SPDX-License-Identifier: Apache-2.0 */
/* hist: 32 buckets for each power of two; rows that share buckets; the percentiles. The name is no keyword.
 * @options: -q */
BEGIN
{
	hist = 3;
	for (int i = 0; i < 900; i++) @["squares"] = hist(i * i * 1000);
	@["seven"] = hist(7, 3);
	@["negative"] = hist(-hist);
	@["largest"] = hist(0x7fffffffffffffff);
	@["spread"] = hist(100);
	@["spread"] = hist(1000);
	@few = hist(hist);
	printf("%d\n", hist);
	printa(@few);
	normalize(@few, 2);
	clear(@few);
	exit(0);
}
