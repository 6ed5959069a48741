/* SPDX-License-Identifier: Apache-2.0 */
/* Generated code with a perf map.
 * @options: -q
 * @needs: jit
 * @trigger: jit */
syscall::getppid:entry
/pid == $target/
{
	ustack(2);
}
