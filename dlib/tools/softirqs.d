#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softirqs.d: time that the CPUs spend in soft interrupts, by kind.
 *
 * Topic: Interrupts and kernel work
 * Usage: softirqs.d [--interval TIME]
 *
 * CPU   where                KIND  timer, net_rx, block, sched, rcu ...
 * COUNT how often            US    microseconds in all       MAX_US  the longest
 *
 * Example:
 *   # softirqs.d -c "stress-ng -q --sock 1 -t 1"
 *   2026 Nov 21 17:22:34
 *     CPU KIND           COUNT         US   MAX_US
 *   ...
 *       0 rcu              479       2190       38
 *       1 rcu              225       1283       30
 *       0 timer            184        985       33
 *       1 sched             30        239       16
 *       1 timer             29        156       10
 *       0 sched             21        269       32
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param interval string "time between reports" 5s

sdt:::softirq_entry
{
	start[cpu] = timestamp;
}

sdt:::softirq_exit
/start[cpu]/
{
	this->took = timestamp - start[cpu];
	start[cpu] = 0;
	@count[cpu, softirq_name[args[0]]] = count();
	@time[cpu, softirq_name[args[0]]] = sum(this->took);
	@max[cpu, softirq_name[args[0]]] = max(this->took);
}

tick-$interval, END
{
	normalize(@time, 1000);
	normalize(@max, 1000);
	printf("%Y\n%5s %-10s %9s %10s %8s\n", walltimestamp, "CPU", "KIND", "COUNT", "US", "MAX_US");
	printa("%5d %-10s %@9d %@10d %@8d\n", @count, @time, @max);
	trunc(@count);
	trunc(@time);
	trunc(@max);
}
