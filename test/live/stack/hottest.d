/* SPDX-License-Identifier: Apache-2.0 */
/* Profiling finds the function that burns the time.
 * @options: -q
 * @trigger: spin 500 */
profile-997
/pid == $target && arg1/
{
	@[ufunc(arg1)] = count();
	total++;
}

END
{
	trunc(@, 1);
	printa("%A\n", @);
	printf("%d\n", total > 5);
}
