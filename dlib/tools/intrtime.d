#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * intrtime.d: time that the CPUs spend in interrupt handlers, by interrupt.
 *
 * Topic: Interrupts and kernel work
 * Usage: intrtime.d [--interval TIME]
 *
 * CPU   where        IRQ, NAME   the interrupt and its handler
 * COUNT how often    US   microseconds in all       MAX_US  the longest
 * Interrupts of the CPU itself (timer, between CPUs) have no handler of this kind.
 *
 * Example:
 *   # intrtime.d -c "dd if=/dev/zero of=/tmp/dwell.example bs=4k count=200 oflag=direct"
 *   2026 Nov 21 17:22:20
 *     CPU   IRQ NAME                         COUNT         US   MAX_US
 *       1    36 virtio1-req.0                  207        308       18
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param interval string "time between reports" 5s

sdt:::irq_handler_entry
{
	start[cpu, args[0]] = timestamp;
}

sdt:::irq_handler_exit
/start[cpu, args[0]]/
{
	this->took = timestamp - start[cpu, args[0]];
	start[cpu, args[0]] = 0;
	@count[cpu, args[0], stringof(args[1]->name)] = count();
	@time[cpu, args[0], stringof(args[1]->name)] = sum(this->took);
	@max[cpu, args[0], stringof(args[1]->name)] = max(this->took);
}

tick-$interval, END
{
	normalize(@time, 1000);
	normalize(@max, 1000);
	printf("%Y\n%5s %5s %-24s %9s %10s %8s\n", walltimestamp, "CPU", "IRQ", "NAME", "COUNT", "US",
	    "MAX_US");
	printa("%5d %5d %-24s %@9d %@10d %@8d\n", @count, @time, @max);
	trunc(@count);
	trunc(@time);
	trunc(@max);
}
