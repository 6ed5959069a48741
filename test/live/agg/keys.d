/* SPDX-License-Identifier: Apache-2.0 */
/* Keys: strings, integers of all sizes and signs, several at once, equal strings of different origin.
 * @options: -q -x aggsortkey */
uint64_t u;
int8_t c;

BEGIN
{
	u = 5;
	c = -3;
	@["a", 1, c] = count();
	@["a", 1, c] = count();
	@[strjoin("a", ""), 1, c] = count();
	@["a", 2, c] = count();
	@["b", -1, c] = count();
	@u[u, (uint16_t)7] = sum(1);
	@u[u * 1000000000000, (uint16_t)65535] = sum(2);
	@e[""] = count();
	printa("%s %d %d %@d\n", @);
	printa("%d %u %@d\n", @u);
	printa("[%s] %@d\n", @e);
	exit(0);
}
