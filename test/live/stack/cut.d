/* SPDX-License-Identifier: Apache-2.0 */
/* A stack deeper than was asked for says so; one that is not does not.
 * @options: -q -x ustackframes=5
 * @filter: offset
 * @trigger: deep 50 */
syscall::getppid:entry
/pid == $target/
{
	ustack();
	printf("%d\n", ustackdepth > 50);
}
