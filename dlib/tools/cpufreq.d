#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cpufreq.d: frequencies that the kernel sets for CPUs, and for how long each holds.
 *
 * Topic: Interrupts and kernel work
 * Usage: cpufreq.d
 * Needs a driver of the kernel that sets frequencies. Virtual machines as a rule have none, and CPUs that choose
 * themselves (intel_pstate in active mode) tell of no change: then there is only the heading.
 *
 * CPU  its number     MHZ  the frequency     CHANGES  how often it was set     MS  how long it held, milliseconds
 * A frequency that was set before the tool started, or holds as it ends, has no time.
 *
 * Example:
 *   # cpufreq.d --for 5s
 *    CPU     MHZ    CHANGES         MS
 *      0    3400         12       2210
 *      0    1600         11       2650
 *   ...
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param interval string "time between reports; else one at the end" 1d

uint64_t since[unsigned int];
int mhz[unsigned int];

sdt:power::cpu_frequency
{
	@changes[(int)args[1], (int)args[0] / 1000] = count();
	@held[(int)args[1], (int)args[0] / 1000] = sum(0);
}

sdt:power::cpu_frequency
/since[args[1]]/
{
	@held[(int)args[1], mhz[args[1]]] = sum((timestamp - since[args[1]]) / 1000000);
}

sdt:power::cpu_frequency
{
	since[args[1]] = timestamp;
	mhz[args[1]] = (int)args[0] / 1000;
}

tick-$interval
{
	printf("%Y\n", walltimestamp);
}

tick-$interval, END
{
	printf("%4s %7s %10s %10s\n", "CPU", "MHZ", "CHANGES", "MS");
	printa("%4d %7d %@10d %@10d\n", @changes, @held);
	trunc(@changes);
	trunc(@held);
}
