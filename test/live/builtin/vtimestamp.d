/* SPDX-License-Identifier: Apache-2.0 */
/* vtimestamp is the thread's time on the CPU: spinning moves it as much as the clock, sleeping does not.
 * @options: -q
 * @trigger: pause 100 */
syscall::clock_nanosleep:entry,
syscall::nanosleep:entry
/pid == $target/
{
	self->v = vtimestamp;
	self->t = timestamp;
}

syscall::clock_nanosleep:return,
syscall::nanosleep:return
/self->t/
{
	printf("%d %d\n", vtimestamp - self->v < 20000000, timestamp - self->t >= 100000000);
	self->t = 0;
}
