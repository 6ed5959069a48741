/* SPDX-License-Identifier: Apache-2.0 */
/* -F: entry and return of system calls with indentation.
 * @options: -F
 * @trigger: getppid 1
 * @stderr: any */
syscall::getppid:
/pid == $target/
{
	trace(1);
}
