#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reclaim.d: threads that must free memory before they get some.
 *
 * This covers direct reclaim, for a memory cgroup or for the machine, and compaction. Work of kcompactd in the
 * background delays no thread, and is not measured.
 *
 * Tracker reclaim, default 7: freeing memory
 *   waits for "{reclaim}": call, memory
 *   groups by curthread
 *   keys by process: args[0]->comm
 *   reclaim = direct reclaim | reclaim of a memory cgroup | compaction
 *   stack: what the thread needed memory for
 */
#pragma D option quiet
#pragma D option noself

tracker reclaim () { threshold = 1ms; limit = 100; }

sdt:vmscan::mm_vmscan_direct_reclaim_begin, sdt:vmscan::mm_vmscan_memcg_reclaim_begin,
sdt:compaction::mm_compaction_begin
/!pending(reclaim) && substr(execname, 0, 9) != "kcompactd"/
{
	begin(reclaim);
	self->what = probename == "mm_compaction_begin" ? "compaction" : probename == "mm_vmscan_memcg_reclaim_begin" ?
	    "reclaim of a memory cgroup" : "direct reclaim";
}

sdt:vmscan::mm_vmscan_direct_reclaim_end, sdt:vmscan::mm_vmscan_memcg_reclaim_end, sdt:compaction::mm_compaction_end
{
	end(reclaim);
}

latency:reclaim::slow
/!(args[0]->how & HOW_NOT_ENDED)/
{
	slow("reclaim", self->what, "stack", stack());
}
