/* SPDX-License-Identifier: Apache-2.0 */
/* Locks that the kernel holds at known places: while a program is executed, the thread that does it has
 * cred_guard_mutex, and exec_update_lock for writing when its name changes.
 * @options: -q
 * @trigger: reexec exitcode 0 */
syscall::execve:entry,
sdt:::task_rename
/pid == $target/
{
	this->m = &curthread->signal->cred_guard_mutex;
	this->s = &curthread->signal->exec_update_lock;
	printf("%s: %d %d %d, %d %d %d\n", probename, mutex_owned(this->m), mutex_owner(this->m) == curthread,
	    mutex_owner(this->m) == NULL, rw_read_held(this->s), rw_write_held(this->s), rw_iswriter(this->s));
}
