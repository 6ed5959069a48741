/* SPDX-License-Identifier: Apache-2.0 */
/* The hottest stacks on the CPUs, kernel and user: samples, the most last */
#pragma D option noself

profile-499hz
/arg0 && pid/
{
	@kernel[execname, stack(8)] = count();
}

profile-499hz
/arg1/
{
	@user[execname, ustack(8)] = count();
}

tick-3s
{
	trunc(@kernel, 3);
	trunc(@user, 3);
	printf("-- in the kernel");
	printa(@kernel);
	printf("-- in user space");
	printa(@user);
	trunc(@kernel);
	trunc(@user);
	exit(0);
}
