#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reclaim.d: threads that must free memory before they get some.
 *
 * Topic: Memory
 * Usage: reclaim.d
 * Because the machine has too little (direct), or their cgroup (memcg).
 *
 * TIME  when it ended      PID, COMMAND  the process      WHY  direct, memcg
 * US    microseconds       PAGES  that were freed
 *
 * Example, while a cgroup of 20 MB runs dd if=/dev/zero of=/tmp/dwell.example bs=1M count=60:
 *   # reclaim.d
 *   TIME                     PID COMMAND          WHY             US    PAGES
 *   2026 Nov 21 17:22:29   12241 dd               memcg        26283      256
 *   2026 Nov 21 17:22:29   12241 dd               memcg           91      256
 *   2026 Nov 21 17:22:29   12241 dd               memcg           81      256
 *   ...
 */
#pragma D option quiet

BEGIN
{
	printf("%-20s %7s %-16s %-7s %10s %8s\n", "TIME", "PID", "COMMAND", "WHY", "US", "PAGES");
}

sdt:::mm_vmscan_direct_reclaim_begin, sdt:::mm_vmscan_memcg_reclaim_begin
/wanted/
{
	self->start = timestamp;
}

sdt:::mm_vmscan_direct_reclaim_end, sdt:::mm_vmscan_memcg_reclaim_end
/self->start/
{
	printf("%-20Y %7d %-16s %-7s %10d %8d\n", walltimestamp, pid, execname,
	    strstr(probename, "memcg") != NULL ? "memcg" : "direct", (timestamp - self->start) / 1000,
	    args[0]);
	self->start = 0;
}
