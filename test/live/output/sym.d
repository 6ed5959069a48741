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

profile-997
/arg0 && !done/
{
	done = 1;
	mod(arg0);
	func(arg0);
	sym(arg0);
	printf("\n");
}

END
{
	printa("%A %@d\n", @);
}
