#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * monitor.d: threads of Java that wait to enter a monitor (synchronized), and the thread that owns it.
 *
 * Usage: monitor.d -p PID|-c COMMAND
 * What ThreadInfo.getBlockedTime() tells of. The JVM's own static probes need a flag; these are functions of libjvm.so,
 * 17 and newer, by its symbols. Threads that enter again after Object.wait(), and virtual threads that leave their
 * carrier while they wait (JDK 24), are not among them.
 *
 * Tracker monitor: monitors of Java
 *   waits for "a monitor of Java": locked, lock
 *   groups by curthread
 *   monitor: its address in the JVM
 *   waker_tid, waker_comm: the thread that had it, and let it go
 *   ustack: where the thread waited
 *
 * Tracker monheld: owners of monitors of Java that other threads wait for
 *   waits for "the one who has the monitor": locked, lock
 *   groups by curthread
 *   ustack: where its owner let it go
 *
 * Example:
 *   # monitor.d -c "java App"
 *   slow monitor          15.7 ms  churn-2 10346/10419 on CPU 0
 *     monitor        140588238247328
 *     waker_tid      10417
 *     waker_comm     churn-0
 *     ustack
 *                      libjvm.so`ObjectMonitor::enter+0x268
 *                      ...
 *                      Mon.owner at Mon.java:4
 *   ...
 */
#pragma D option quiet
#pragma D option noself
#pragma D option zdefs

tracker monitor () { threshold = 1ms; limit = 100; }
tracker monheld (uintptr_t) { threshold = 1ms; limit = 100; size = 4096; gc = 10m; }

/* Source: objectMonitor.cpp of OpenJDK 17, 25: after it has spun for a while. */
pid$target:libjvm.so:_ZN13ObjectMonitor6EnterIEP10JavaThread:entry,
pid$target:libjvm.so:_ZN13ObjectMonitor14enter_internalEP10JavaThread:entry
{
	begin(monitor);
	self->monitor = arg0;
}

pid$target:libjvm.so:_ZN13ObjectMonitor6EnterIEP10JavaThread:entry,
pid$target:libjvm.so:_ZN13ObjectMonitor14enter_internalEP10JavaThread:entry
/!pending(monheld, arg0)/
{
	begin(monheld, arg0);
}

/* The thread that releases the monitor wakes up the next one. */
pid$target:libjvm.so:_ZN13ObjectMonitor10ExitEpilogEP10JavaThreadP12ObjectWaiter:entry,
pid$target:libjvm.so:_ZN13ObjectMonitor11exit_epilogEP10JavaThreadP12ObjectWaiter:entry
/pending(monheld, arg0)/
{
	released[arg0] = tid;
	releaser[arg0] = execname;
	end(monheld, arg0);
}

/* It may have been free without that. */
pid$target:libjvm.so:_ZN13ObjectMonitor6EnterIEP10JavaThread:return,
pid$target:libjvm.so:_ZN13ObjectMonitor14enter_internalEP10JavaThread:return
/self->monitor/
{
	end(monheld, self->monitor, 1);
	end(monitor);
	released[self->monitor] = 0;
	releaser[self->monitor] = 0;
	self->monitor = 0;
}

latency:monitor::slow
/!(args[0]->how & HOW_NOT_ENDED)/
{
	slow("monitor", (void *)self->monitor, "waker_tid", released[self->monitor], "waker_comm",
	    releaser[self->monitor], "ustack", jstack(100));
}

latency:monheld::slow
/!(args[0]->how & HOW_NOT_ENDED) && !args[0]->id/
{
	slow("ustack", jstack(100));
}
