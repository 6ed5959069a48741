#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gc.d: garbage collections of JavaScript (V8 10 to 13, Node 18 to 24): what a thread is stopped for.
 *
 * Usage: gc.d -p PID|-c COMMAND
 * It measures what --trace-gc does: the stretch in which the thread is stopped, not what is done beside it. The
 * function is looked for among the symbols; a stripped Node 24 has none.
 *
 * At the end: how many and how long, by program, collection and reason.
 *
 * Tracker gc: garbage collections of JavaScript
 *   waits for "the collector ({collection})": call, memory
 *   collection = scavenge | mark-compact | minor mark-sweep: which one
 *   reason: why now, as V8 says it
 *   ustack: the function that allocated
 *
 * Example:
 *   # gc.d -c "node app.js"
 *   slow gc               15.1 ms  node 13696/13696 on CPU 1
 *     collection     scavenge
 *     reason         allocation failure
 *   ...
 */
#pragma D option quiet
#pragma D option noself
#pragma D option zdefs

tracker gc () { threshold = 1ms; limit = 100; }

string reasons[int64_t];

/* Source: GarbageCollectionReason, src/heap/heap.h or src/common/globals.h: the numbers stay. */
BEGIN
{
	reasons[1] = "allocation failure";
	reasons[2] = "allocation limit";
	reasons[3] = "context disposal";
	reasons[5] = "debugger";
	reasons[7] = "external memory pressure";
	reasons[8] = "finalize incremental marking via stack guard";
	reasons[9] = "finalize incremental marking via task";
	reasons[11] = "heap profiler";
	reasons[12] = "task";
	reasons[13] = "last resort";
	reasons[14] = "low memory notification";
	reasons[15] = "making heap iterable";
	reasons[16] = "memory pressure";
	reasons[17] = "memory reducer";
	reasons[18] = "runtime";
	reasons[20] = "snapshot creator";
	reasons[21] = "testing";
	reasons[22] = "external finalize";
	reasons[23] = "global allocation limit";
	reasons[24] = "measure memory";
	reasons[25] = "background allocation failure";
	reasons[26] = "finalize concurrent minor collection";
	reasons[27] = "allocation failure of C++ objects";
}

pid$target::_ZN2v88internal4Heap24PerformGarbageCollectionE*:entry
{
	begin(gc);
	self->collection = (int)arg1 == 0 ? "scavenge" : (int)arg1 == 1 ? "mark-compact" : "minor mark-sweep";
	self->reason = (int)arg2;
}

pid$target::_ZN2v88internal4Heap24PerformGarbageCollectionE*:return
{
	end(gc);
}

latency:gc::all
{
	this->reason = reasons[self->reason] == "" ? "unknown" : reasons[self->reason];
	@gc[execname, self->collection, this->reason] = sum(args[0]->delay);
	@gcs[execname, self->collection, this->reason] = count();
}

latency:gc::slow
/!(args[0]->how & HOW_NOT_ENDED)/
{
	slow("collection", self->collection, "reason", this->reason, "ustack", jstack(100));
}
