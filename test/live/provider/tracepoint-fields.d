/* SPDX-License-Identifier: Apache-2.0 */
/* sched_switch: the thread that leaves and the one that comes.
 * @options: -q
 * @trigger: contend 200 */
int named;

sdt:::sched_switch
/args[1] == curthread && pid == $target && execname == "trigger"/
{
	out++;
	named += args[1]->comm == "trigger";
}

sdt:::sched_switch
/args[2]->tgid == $target/
{
	in++;
}

END
{
	printf("%d %d %d\n", out > 10, in > 10, out == named);
}
