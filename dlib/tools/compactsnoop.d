#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compactsnoop.d: compactions of memory: the kernel moves pages so that large pieces become free.
 *
 * Topic: Memory
 * Usage: compactsnoop.d
 *
 * TIME  when it ended     PID, COMMAND  the process that waited; kcompactd does it in the background
 * MODE  sync: may wait for pages, async        US  microseconds        RESULT  how it ended
 *
 * Example:
 *   # compactsnoop.d -c "sysctl vm.compact_memory=1"
 *   vm.compact_memory = 1
 *   TIME                     PID COMMAND          MODE          US RESULT
 *   2026 Nov 26 11:48:24    6584 sysctl           sync          54 complete
 *   2026 Nov 26 11:48:24    6584 sysctl           sync        2333 complete
 *   2026 Nov 26 11:48:24    6584 sysctl           sync        7151 contended
 */
#pragma D option quiet

inline string compact_name[int R] =
	R == COMPACT_SUCCESS ? "success" : R == COMPACT_COMPLETE ? "complete" :
	R == COMPACT_PARTIAL_SKIPPED ? "partial" : R == COMPACT_CONTENDED ? "contended" :
	R == COMPACT_SKIPPED ? "skipped" : R == COMPACT_DEFERRED ? "deferred" :
	R == COMPACT_CONTINUE ? "continue" : lltostr(R);

BEGIN
{
	printf("%-20s %7s %-16s %-5s %10s %s\n", "TIME", "PID", "COMMAND", "MODE", "US", "RESULT");
}

sdt:::mm_compaction_begin
/wanted/
{
	self->start = timestamp;
}

sdt:::mm_compaction_end
/self->start/
{
	printf("%-20Y %7d %-16s %-5s %10d %s\n", walltimestamp, pid, execname, args[3] ? "sync" : "async",
	    (timestamp - self->start) / 1000, compact_name[args[4]]);
	self->start = 0;
}
