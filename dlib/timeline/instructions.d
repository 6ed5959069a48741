#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instructions.d: instructions of each CPU, for `dwell record`.
 *
 * Usage: instructions.d --record FILE
 * Of all processes. The CPUs must have a performance monitoring unit. A CPU reports every 10 million instructions. The
 * sums are read each 200 ms, so that a view can show them over time.
 *
 * Example:
 *   # dwell --record run.dwell -s instructions.d -c "ls -lR /etc"
 *   # dwell export --format perfetto -o run.pftrace run.dwell
 */
#pragma D option quiet
#pragma D option aggrate=200ms

cpc:::instructions-all-10000000
{
	@by_cpu_instructions[cpu] = sum(10000000);
}
