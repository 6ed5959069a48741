/* SPDX-License-Identifier: Apache-2.0 */
/* If the condition of a ?: is a constant, only the branch taken is compiled: actions and aggregations may stand in it,
 * and the other one may name what does not exist. $1 and inlines are constants.
 * @options: -q
 * @args: 0 7 */
inline int OPT_time = $1;
inline int OPT_count = $2 == 7;
inline int TOP = 2;
inline int OPT_top = OPT_count && TOP > 1;

BEGIN
/OPT_time ? nosuch : 1/
{
	OPT_time ? printf("%-14d ", timestamp) : 1;
	OPT_time ? printf("%d", nosuch) : printf("without time\n");
	OPT_count ? @n["one"] = count() : 1;
	OPT_count ? @n["two"] = count() : (@m[nosuch] = count());
	!OPT_time ? OPT_count ? printf("both: %d\n", sizeof (int) == 4 ? 4 : nosuch) : 2 : 3;
	@n["two"] = count();
	@n["three"] = count();
	@n["three"] = count();
	@n["three"] = count();
	self->t = OPT_time ? timestamp : 17;
	trace(self->t);
	OPT_time ? 1 : trace("\n");
	OPT_top ? trunc(@n, TOP) : 1;
	exit(0);
}
