/* SPDX-License-Identifier: Apache-2.0 */
/* Return values and errno.
 * @options: -q
 * @trigger: errors */
syscall::close:return
/pid == $target && arg0 < 0/
{
	printf("close %d %d\n", (int)arg0, errno);
}

syscall::kill:return, syscall::lseek:return
/pid == $target/
{
	printf("%s %d %d\n", probefunc, (int)arg0, errno);
}

syscall::openat:return
/pid == $target && errno == 2/
{
	printf("openat %d %d\n", arg0, errno);
}

syscall::getppid:return
/pid == $target/
{
	printf("getppid %d %d\n", arg0 == ppid, errno);
}
