#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * samples.d: what runs on the CPUs: samples of stacks by command, for `dwell record`.
 *
 * Usage: samples.d [-p PID|-c COMMAND] [--rate HZ] --record FILE
 * With -p or -c this process and its descendants, else all but idle CPUs. Keys are read each 200 ms, so that
 * a view can show a stretch of time.
 *
 * Example:
 *   # dwell --record run.dwell -s samples.d -c "ls -lR /etc"
 *   # dwell flame --on-cpu -o cpu.html run.dwell
 */
#pragma D option quiet
#pragma D option noself
#pragma D option aggrate=200ms
#pragma D param rate string "samples of each CPU in a second" 99hz

profile-$rate
/pid && wanted/
{
	@on_cpu_samples[execname, pid, tid, jstack(100), stack()] = count();
}
