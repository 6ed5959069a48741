/* SPDX-License-Identifier: Apache-2.0 */
self string s;
syscall::read:entry
/strtoll(self->s, 16)/
{
	@ = llquantize(strtoll(self->s, arg0), 10, 0, 6, 20);
}
