/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel structures through BTF: the thread itself.
 * @options: -q
 * @trigger: getppid */
syscall::getppid:entry
/pid == $target/
{
	this->t = curthread;
	printf("%d %d %d\n", this->t->pid == tid, this->t->tgid == pid, this->t->real_parent->tgid == ppid);
	printf("%s %d\n", stringof(this->t->comm), this->t->comm[0] == 't');
	printf("%d\n", curthread->signal->nr_threads);
	printf("%d\n", ((struct task_struct *)curthread)->group_leader == curthread);
	printf("%d\n", sizeof (curthread->comm));
	printf("%d\n", (curthread->flags & 0x00200000) != 0);
}
