#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frequency.d: frequency changes of the CPUs, for `dwell record`.
 *
 * Usage: frequency.d --record FILE
 * The kernel must set the frequencies: CPUs that choose their frequency themselves (intel_pstate in active mode) report
 * no change. The frequency before the first change is not known.
 *
 * Example:
 *   # dwell --record run.dwell -s frequency.d -c "ls -lR /etc"
 *   # dwell export --format perfetto -o run.pftrace run.dwell
 */
#pragma D option quiet

sdt:power::cpu_frequency
{
	trace(args[0]); /* kHz */
	trace(args[1]); /* of this CPU */
}
