/* SPDX-License-Identifier: Apache-2.0 */
/* off-cpu and on-cpu of threads that sleep: pairs, and the time between them.
 * @options: -q
 * @needs: on-cpu
 * @trigger: pause 100 */
uint64_t longest;

sched:::off-cpu
/pid == $target/
{
	self->t = timestamp;
	offs++;
}

sched:::on-cpu
/pid == $target/
{
	backs++;
}

sched:::on-cpu
/self->t/
{
	this->d = timestamp - self->t;
	longest = this->d > longest ? this->d : longest;
	self->t = 0;
}

END
{
	printf("%d %d %d\n", offs > 0, backs > 0, longest >= 100000000 && longest < 400000000);
}
