/* SPDX-License-Identifier: Apache-2.0 */
/* stackdepth, caller, ucaller, ustackdepth.
 * BEGIN has no kernel stack: who has led there is dwell itself.
 * @options: -q
 * @trigger: chain */
BEGIN
{
	printf("%d %d\n", stackdepth, caller == 0);
	stack();
}

syscall::getppid:entry
/pid == $target/
{
	printf("%d %d\n", stackdepth > 0, stackdepth < 128);
	printf("%d %d\n", (int64_t)caller < 0 || caller == 0, ucaller > 0x1000);
	printf("%d\n", ustackdepth >= 4);
}
