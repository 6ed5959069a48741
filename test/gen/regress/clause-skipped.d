/* SPDX-License-Identifier: Apache-2.0 */
sdt:::timer_*
{
	@g0 = quantize(*(int *)&curthread->pid);
	printf("a");
}
sdt:::timer_*
{
	tracemem(curthread, 16);
}
