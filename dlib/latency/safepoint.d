#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * safepoint.d: stretches in which a JVM has stopped all threads of Java.
 *
 * Usage: safepoint.d -p PID|-c COMMAND
 * Of JVMs with static probes, as Debian's: others have no events. The delay is the "Total" of -Xlog:safepoint: from
 * when the threads are told to stop until they may run again. The events are of the VM thread.
 *
 * At the end: how many and how long, by program and operation.
 *
 * Tracker safepoint: stops of all Java threads
 *   waits for "all threads of Java to stop, and for {operation}": call, memory
 *   groups by curthread
 *   operation: what they are stopped for, as the JVM says it
 *   reaching: nanoseconds until the last one had stopped
 *   asker: the name of the thread that asked for it
 *
 * Example:
 *   # safepoint.d -c "java App"
 *   slow safepoint        4.07 ms  VM Thread 15141/15152 on CPU 1
 *     operation      G1CollectForAllocation
 *     reaching       8120
 *     asker          java
 *   ...
 */
#pragma D option quiet
#pragma D option noself
#pragma D option zdefs

tracker safepoint () { threshold = 1ms; limit = 100; }

string asker;

/* Source: SafepointSynchronize::begin(), VMThread::inner_execute() of OpenJDK. A stop without an operation is there,
 * too, where the JVM cleans up. */
hs_private$target:::safepoint-begin
{
	begin(safepoint);
	self->begun = timestamp;
	self->asker = asker;
	self->operation = "no operation";
	self->reaching = 0;
}

hotspot$target:::vmops-request
{
	asker = execname;
}

hotspot$target:::vmops-begin
/self->begun/
{
	self->operation = copyinstr(arg0, 64);
	self->reaching = timestamp - self->begun;
}

hs_private$target:::safepoint-end
{
	end(safepoint);
	self->begun = 0;
}

latency:safepoint::all
{
	@safepoint[execname, self->operation] = sum(args[0]->delay);
	@safepoints[execname, self->operation] = count();
}

latency:safepoint::slow
/!(args[0]->how & HOW_NOT_ENDED)/
{
	slow("operation", self->operation, "reaching", self->reaching, "asker", self->asker);
}
