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
	this->k = (uintptr_t)&`jiffies;
	mod(this->k);
	printf("\n");
	@[ufunc(ucaller)] = count();
}

END
{
	printa("%A %@d\n", @);
}
