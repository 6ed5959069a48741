/* SPDX-License-Identifier: Apache-2.0 */
/* -x noresolve: file and offset instead of names.
 * @options: -q -x noresolve
 * @trigger: chain */
syscall::getppid:entry
/pid == $target/
{
	ustack(2);
	stack(1);
}
