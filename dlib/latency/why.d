#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * why.d: what threads wait for, in words: the table of LatencyTOP. `dwell latency why` runs it and draws its own table.
 *
 * Usage: why.d [-p PID|-c COMMAND] [--by 0|1|2] [--over US] [--comm NAME] [--every TIME]
 * A wait is the time between leaving a CPU and getting one again: being woken up late is part of it. With -p or -c
 * threads of this process and its descendants, else all.
 *
 * Example:
 *   # why.d -c "sleep 0.3"
 *   0                    sleep                                                 300127480
 *                        shorter                                                    6341
 */
#pragma D option quiet
#pragma D option noself
#pragma D option aggsize=32m
#pragma D option stackframes=48
#pragma D param by int "0: all threads in one, 1: by process, 2: by thread" 0
#pragma D param over int "microseconds from which on a wait gets its cause" 10
#pragma D param comm string "only programs of this name" ""
#pragma D param every string "time between tables" 5s

sched:::off-cpu
/pid && (!$target || progenyof($target)) && ($comm == "" || execname == $comm)/
{
	self->left = timestamp;
}

sched:::on-cpu
/self->left && timestamp - self->left < $over * 1000/
{
	@short = avg(timestamp - self->left);
	@shortmax = max(timestamp - self->left);
	self->left = 0;
}

sched:::on-cpu
/self->left/
{
	this->delay = timestamp - self->left;
	@waits[$by == 2 ? tid : $by == 1 ? pid : 0, $by ? execname : "", why(stack())] = avg(this->delay);
	@worst[$by == 2 ? tid : $by == 1 ? pid : 0, $by ? execname : "", why(stack())] = max(this->delay);
	self->left = 0;
}

tick-$every
{
	printa("%6d %-16s %-50s %@12d %@12d\n", @waits, @worst);
	printa("%@d %@d\n", @short, @shortmax);
}

END
{
	printa("%6d %-16s %-50s %@12d %@12d\n", @waits, @worst);
	printa("%@d %@d\n", @short, @shortmax);
}
