/* SPDX-License-Identifier: Apache-2.0 */
/* 20,000 keys, none lost, and a clear while filling is exact.
 * @options: -q
 * @trigger: keys 20000 2 */
syscall::lseek:entry
/pid == $target && (int)arg0 == -1/
{
	@k[arg1] = count();
	@all = count();
}

END
{
	@n[1] = count();
	printa("all %@d\n", @all);
	trunc(@k, 3);
	printa("%@d\n", @k);
}
