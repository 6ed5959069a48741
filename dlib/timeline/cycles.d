#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cycles.d: cycles of each CPU, for `dwell record`.
 *
 * Usage: cycles.d --record FILE
 * Of all processes. The CPUs must have a performance monitoring unit. A CPU reports every 10 million cycles. The sums
 * are read each 200 ms, so that a view can show them over time.
 *
 * Example:
 *   # dwell --record run.dwell -s cycles.d -c "ls -lR /etc"
 *   # dwell export --format perfetto -o run.pftrace run.dwell
 */
#pragma D option quiet
#pragma D option aggrate=200ms

cpc:::cycles-all-10000000
{
	@by_cpu_cycles[cpu] = sum(10000000);
}
