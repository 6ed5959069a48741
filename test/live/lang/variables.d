/* SPDX-License-Identifier: Apache-2.0 */
/* this-> lives for all clauses of a firing, globals for the run; uninitialised ones are 0.
 * @options: -q */
int g;
extern int never[123][456][789]; /* nobody names it: no memory */
uint64_t big;
string s;

BEGIN
{
	printf("%d [%s]\n", g, s);
	this->x = 5;
	g = 1;
	s = "kept";
	big = 0xffffffffffffffff;
}

BEGIN
/this->x == 5/
{
	this->x++;
	g += this->x;
	printf("%d %d %s %u\n", this->x, g, s, big);
}

BEGIN
/this->x == 5/
{
	printf("never\n");
}

tick-10ms
{
	printf("%d %s %d\n", g, s, ++ticks);
	exit(0);
}

END
{
	printf("%d\n", g + ticks);
}
