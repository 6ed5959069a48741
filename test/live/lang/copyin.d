/* SPDX-License-Identifier: Apache-2.0 */
/* copyin, copyinstr, copyinto of a system call's buffers.
 * @options: -q -x strsize=64
 * @trigger: open /no/such /no/such/longer-name "" */
syscall::openat:entry
/pid == $target && arg1 && substr(copyinstr(arg1), 0, 4) == "/no/"/
{
	printf("[%s] %d ", copyinstr(arg1), strlen(copyinstr(arg1, 6)) <= 6);
	this->p = (char *)copyin(arg1, 4);
	printf("%c%c%c ", this->p[1], this->p[2], this->p[3]);
	this->q = (char *)alloca(4);
	copyinto(arg1 + 4, 3, this->q);
	printf("%c%c ", this->q[0], this->q[1]);
	this->n = strlen(copyinstr(arg1));
	printf("[%s] [%s] [%s]\n", copyinstr(arg1, this->n), copyinstr(arg1, this->n - this->n),
	    copyinstr(arg1, this->n * 10000));
}
