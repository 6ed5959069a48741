/* SPDX-License-Identifier: Apache-2.0 */
/* Provider lockstat: threads that write to one file wait for its lock, none longer than all of it took.
 * @options: -q
 * @trigger: fight data 300 */
uint64_t from;
int blocks, bad;

BEGIN
{
	from = timestamp;
}

lockstat:::rw-block
/pid == $target/
{
	blocks++;
	bad += arg1 == 0 || arg1 > timestamp - from || arg0 == 0;
}

END
{
	printf("%d %d\n", blocks > 0, bad);
}
