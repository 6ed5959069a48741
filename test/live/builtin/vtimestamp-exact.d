/* SPDX-License-Identifier: Apache-2.0 */
/* vtimestamp goes on between the ticks of the scheduler, never before what the scheduler has counted, and
 * never by more than the clock.
 * @options: -q
 * @trigger: getppid 20000 */
self uint64_t v, t, v0, t0, n, stood, early;

syscall::getppid:entry
/pid == $target/
{
	this->c = curthread->se.sum_exec_runtime;
	this->v = vtimestamp;
	this->t = timestamp;
	self->n++;
	self->stood += this->v == self->v;
	self->early += this->v < this->c;
	self->v0 = self->v0 ? self->v0 : this->v;
	self->t0 = self->t0 ? self->t0 : this->t;
	self->v = this->v;
	self->t = this->t;
}

syscall::exit_group:entry
/pid == $target/
{
	printf("%d calls, %d early\n", self->n, self->early);
	printf("%s\n", self->stood < self->n / 10 ? "moves with every call" : "stands still");
	printf("%s\n", self->v - self->v0 <= self->t - self->t0 + 100000000 ? "not faster than the clock" : "too fast");
}
