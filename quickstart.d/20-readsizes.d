/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of reads in bytes, by process */
syscall::read:return
/arg0 > 0/
{
	@[execname] = quantize(arg0);
}

tick-3s
{
	trunc(@, 3);
	exit(0);
}
