#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * on-cpu.d: what runs on the CPUs: samples of stacks by command, for `dwell flame --on-cpu`.
 *
 * Usage: on-cpu.d [-p PID|-c COMMAND] [--for TIME] [--rate HZ] [--record FILE]
 * With -p or -c this process and its descendants, else all but idle CPUs.
 * Functions of language runtimes are named when a key is read: often, since the collector moves them.
 */
#pragma D option quiet
#pragma D option noself
#pragma D option aggrate=200ms
#pragma D param rate string "samples of each CPU in a second" 199hz
#pragma D param for string "how long" 24h

profile-$rate
/pid && wanted/
{
	@on_cpu[execname, pid, tid, jstack(100), stack()] = count();
}

tick-$for
{
	exit(0);
}
