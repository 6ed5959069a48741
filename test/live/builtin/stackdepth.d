/* SPDX-License-Identifier: Apache-2.0 */
/* stackdepth, caller, ucaller, ustackdepth.
 * @options: -q
 * @trigger: chain */
syscall::getppid:entry
/pid == $target/
{
	printf("%d %d\n", stackdepth > 0, stackdepth < 128);
	printf("%d %d\n", (int64_t)caller < 0 || caller == 0, ucaller > 0x1000);
	printf("%d\n", ustackdepth >= 4);
}
