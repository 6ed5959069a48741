/* SPDX-License-Identifier: Apache-2.0
 * All addresses of one function, symbol or module are one key.
 * @options: -q
 * @trigger: spin 1500
 */
profile-499
/pid == $target && arg1/
{
	@func[ufunc(arg1)] = count();
	@sym[usym(arg1)] = count();
	@mod[umod(arg1)] = count();
}

END
{
	printa("func %A %@d\n", @func);
	printa("sym %A %@d\n", @sym);
	printa("mod %A %@d\n", @mod);
}
