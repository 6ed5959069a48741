/* SPDX-License-Identifier: Apache-2.0 */
/* The user's stack: program, symbols, offsets; the process has exited when it is printed.
 * @options: -q
 * @filter: offset
 * @trigger: chain */
syscall::getppid:entry
/pid == $target/
{
	ustack(4);
}
