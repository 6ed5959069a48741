/* SPDX-License-Identifier: Apache-2.0 */
/* System calls through the 32-bit entry are not those of the same number: not traced, but counted.
 * @options: -q
 * @needs: int80
 * @stderr: any
 * @trigger: int80 5 */
syscall::getppid:entry, syscall::setxattrat:entry, syscall::fdatasync:entry
/pid == $target/
{
	n++;
}

/* 64 is getppid there and semget here */
syscall::semget:
/pid == $target/
{
	n++;
}

END
{
	printf("%d\n", n);
}
