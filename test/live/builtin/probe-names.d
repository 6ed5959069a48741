/* SPDX-License-Identifier: Apache-2.0 */
/* probeprov, probemod, probefunc, probename in BEGIN, timers, system calls, END.
 * @options: -q
 * @trigger: getppid */
BEGIN, END
{
	printf("[%s] [%s] [%s] [%s]\n", probeprov, probemod, probefunc, probename);
}

syscall::getppid:
/pid == $target/
{
	printf("[%s] [%s] [%s] [%s]\n", probeprov, probemod, probefunc, probename);
}
