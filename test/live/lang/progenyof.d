/* SPDX-License-Identifier: Apache-2.0 */
/* progenyof: the caller descends from the given process.
 * @options: -q
 * @trigger: getppid 1 */
syscall::getppid:entry
/pid == $target/
{
	printf("%d %d %d\n", progenyof($target), progenyof($pid), progenyof(1) || 1);
}
