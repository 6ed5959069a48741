/* SPDX-License-Identifier: Apache-2.0 */
/* Records of all CPUs come out in the order of time.
 * @options: -q
 * @stderr: any
 * @needs: two-cpus
 * @trigger: rate 50000 400 4 */
syscall::getppid:
/pid == $target/
{
	printf("%d\n", timestamp);
}
