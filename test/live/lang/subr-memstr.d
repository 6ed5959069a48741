/* SPDX-License-Identifier: Apache-2.0 */
/* memstr(): bytes of the kernel as a string, NULs and all; cut at size - 1 and at strsize; NULL of no bytes.
 * @options: -q -x strsize=16 */
BEGIN
{
	self->p = (char *)alloca(32);
	bcopy("one", self->p, 4);
	bcopy("two", self->p + 4, 4);
	bcopy("three and more", self->p + 8, 15);
	this->n = 8;
	printf("[%s]\n", memstr(self->p, '|', 8));
	printf("[%s]\n", memstr(self->p, ' ', this->n));
	printf("[%s]\n", memstr(self->p, '.', 1));
	printf("[%s] [%s]\n", memstr(self->p, '-', 32), memstr(self->p, '-', this->n * 4));
	printf("%d %d\n", memstr(self->p, '.', 0) == NULL, memstr(self->p, '.', this->n - 8) == NULL);
	printf("%d %s\n", strlen(memstr(curthread->comm, 0xff2b, 16)), substr(memstr(curthread->comm, '+', 16), 13));
	exit(0);
}
