#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gc.d: garbage collections of V8, HotSpot and CPython: what threads are stopped for.
 *
 * Usage: gc.d -p PID|-c COMMAND
 * JavaScript (V8 10 to 13, Node 18 to 24): what --trace-gc measures, the stretch in which the thread is stopped, not
 * what is done beside it. The function is looked for among the symbols; a stripped Node 24 has none.
 * Java (JVMs with static probes, as Debian's): pauses, in which all threads are stopped, as -Xlog:gc tells of them.
 * They are of the VM thread. Their reason wants the symbols of libjvm.so.
 * Python (interpreters with static probes, as Debian's): collections of reference cycles.
 *
 * At the end: how many and how long, by program, collection and reason.
 *
 * Tracker gc: garbage collections of JavaScript, Java and Python
 *   waits for "the collector ({collection})": call, memory
 *   groups by curthread
 *   collection: which one, such as scavenge, mark-compact, G1 Young Generation, ZMarkStart, generation 2
 *   reason: why now, as V8 or HotSpot says it
 *   asker: the name of the thread of Java that asked for it
 *   freed: how many objects of Python went
 *   ustack: the function of JavaScript or Python that allocated
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

inline int OF_V8 = 1;
inline int OF_HOTSPOT = 2;
inline int OF_PYTHON = 3;
string reasons[int64_t];
string asker;

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

/* Source: PerformGarbageCollection(), src/heap/heap.cc. */
pid$target::_ZN2v88internal4Heap24PerformGarbageCollectionE*:entry
{
	begin(gc);
	self->of = OF_V8;
	self->collection = (int)arg1 == 0 ? "scavenge" : (int)arg1 == 1 ? "mark-compact" : "minor mark-sweep";
	self->reason = reasons[(int)arg2] == "" ? "unknown" : reasons[(int)arg2];
}

pid$target::_ZN2v88internal4Heap24PerformGarbageCollectionE*:return
{
	end(gc);
}

/* Source: vmThread.cpp, gcVMOperations.cpp of OpenJDK. An operation is asked for by one thread, done by the VM thread,
 * and has one pause within it, if it is a collection. */
hotspot$target:::vmops-request
{
	asker = execname;
}

hotspot$target:::vmops-begin
{
	self->asker = asker;
	self->collection = copyinstr(arg0, 64);
	self->reason = 0;
}

/* CollectedHeap::set_gc_cause() asks for the words of the reason, before the pause, too. */
pid$target:libjvm.so:_ZN7GCCause9to_stringENS_5CauseE:return
/copyinstr(arg1, 64) != "No GC"/
{
	self->reason = copyinstr(arg1, 64);
}

hotspot$target:::gc-begin
{
	begin(gc);
	self->of = OF_HOTSPOT;
	self->pools = 0;
}

/* -Xlog:gc measures from about here: what the collector prepares before is left out. Collectors without pools have
 * no such probe. */
hotspot$target:::mem-pool-gc-begin
/self->of == OF_HOTSPOT && !self->pools/
{
	begin(gc);
	self->pools = 1;
}

/* The collector, by the name that its management bean has: a full collection that began as a young one
 * has the name of the full one. */
hotspot$target:::mem-pool-gc-begin
/self->of == OF_HOTSPOT/
{
	self->collection = copyinstr(arg0, arg1 + 1);
}

hotspot$target:::gc-end
{
	end(gc);
	self->of = 0;
}

python$target:::gc-start
{
	begin(gc);
	self->of = OF_PYTHON;
	self->collection = (int)arg0 == 0 ? "generation 0" : (int)arg0 == 1 ? "generation 1" : "generation 2";
}

python$target:::gc-done
{
	end(gc, arg0);
}

latency:gc::all
{
	this->reason = self->reason == "" ? "not known" : self->reason;
	@gc[execname, self->collection, this->reason] = sum(args[0]->delay);
	@gcs[execname, self->collection, this->reason] = count();
}

latency:gc::slow
/!(args[0]->how & HOW_NOT_ENDED) && self->of == OF_V8/
{
	slow("collection", self->collection, "reason", this->reason, "ustack", jstack(100));
}

latency:gc::slow
/!(args[0]->how & HOW_NOT_ENDED) && self->of == OF_HOTSPOT/
{
	slow("collection", self->collection, "reason", this->reason, "asker", self->asker);
}

latency:gc::slow
/!(args[0]->how & HOW_NOT_ENDED) && self->of == OF_PYTHON/
{
	slow("collection", self->collection, "freed", args[0]->id, "ustack", jstack(100));
}
