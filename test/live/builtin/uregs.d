/* SPDX-License-Identifier: Apache-2.0 */
/* uregs[]: the registers of a system call with known arguments; of threads of the kernel 0.
 * @options: -q
 * @needs: x86-64
 * @filter: id pc
 * @trigger: sixargs 2 */
uint64_t kernel;

syscall::process_vm_readv:entry
/pid == $target && !self->n++/
{
	printf("%x %x %x %x %x %x\n", uregs[14], uregs[13], uregs[12], uregs[7], uregs[9], uregs[8]);
	printf("%d %d %d %d\n", uregs[15], uregs[17] & 3, uregs[20] & 3, (int64_t)uregs[10]);
	printf("%d\n", uregs[16] > 0x1000 && uregs[19] > 0x1000);
	this->i = 13;
	printf("%x\n", uregs[this->i]);
	this->i = 25;
	printf("%d %d %d\n", uregs[this->i] == curthread->thread.trap_nr, R_FS, uregs[R_FS] == curthread->thread.fsbase &&
	    curthread->thread.fsbase != 0);
}

syscall::process_vm_readv:entry
/pid == $target && self->n == 2/
{
	this->i = 26;
	trace(uregs[this->i]);
}

syscall::process_vm_readv:entry
/pid == $target && self->n == 2/
{
	trace(uregs[-1]);
}

syscall::process_vm_readv:entry
/pid == $target && self->n == 2/
{
	ufunc(uregs[16]);
	printf("\n");
}

sched:::off-cpu
/curthread->mm == NULL && curthread->flags & 0x200000/
{
	kernel |= uregs[16];
	self->seen = 1;
}

END { printf("%d\n", kernel); }
