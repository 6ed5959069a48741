/* SPDX-License-Identifier: Apache-2.0 */
/* sym, func, mod, usym, ufunc, umod, uaddr.
 * @options: -q
 * @filter: offset
 * @trigger: chain */
syscall::getppid:entry
/pid == $target/
{
	usym(ucaller);
	ufunc(ucaller);
	umod(ucaller);
	uaddr(ucaller);
	printf("\n");
	@[ufunc(ucaller)] = count();
}

BEGIN
{
	mod((uint64_t)&`schedule);
	func((uint64_t)&`schedule);
	sym((uint64_t)&`schedule);
	printf("\n");
}

END
{
	printa("%A %@d\n", @);
}
