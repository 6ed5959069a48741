/* SPDX-License-Identifier: Apache-2.0 */
/* arg0 … arg5 of a system call are the registers; args[] has the types of the call.
 * @options: -q
 * @trigger: sixargs */
syscall::process_vm_readv:entry
/pid == $target/
{
	printf("%x %x %x %x %x %x\n", arg0, arg1, arg2, arg3, arg4, arg5);
	printf("%d %d %d\n", args[0], sizeof (args[0]), sizeof (args[5]));
	printf("%x %x\n", (uintptr_t)args[1], args[2]);
}

syscall::process_vm_readv:return
/pid == $target/
{
	printf("%d %d %d %d\n", arg0, arg1, args[0], errno);
}
