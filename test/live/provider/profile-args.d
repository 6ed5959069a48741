/* SPDX-License-Identifier: Apache-2.0 */
/* arg0 is the kernel's pc, arg1 the user's: one of them is 0.
 * @options: -q
 * @trigger: spin 300 */
int kernel, user, both;

profile-997
/pid == $target/
{
	kernel += arg0 != 0 && arg1 == 0;
	user += arg0 == 0 && arg1 != 0;
	both += (arg0 != 0) == (arg1 != 0);
}

END
{
	printf("%d %d\n", user > 20, both);
}
