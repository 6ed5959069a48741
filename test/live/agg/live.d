/* SPDX-License-Identifier: Apache-2.0 */
/* Aggregations of a real load: sizes of writes, exactly.
 * @options: -q
 * @trigger: writes 1 1 10 100 1000 1000 1000 */
syscall::write:entry
/pid == $target/
{
	@n[arg2] = count();
	@q = quantize(arg2);
	@total = sum(arg2);
}

END
{
	printa("%d %@d\n", @n);
	printa("%@d\n", @total);
	printa("%@d", @q);
}
