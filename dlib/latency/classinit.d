#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * classinit.d: classes of Java that are initialised: linked, with those that they extend; static initialisers.
 *
 * Usage: classinit.d -p PID|-c COMMAND
 * Of JVMs with static probes, as Debian's: others have no events. The JVM has a probe for the end of loading only, so
 * loading has no length: @loaded counts classes.
 *
 * At the end: how many and how long, by thread; how many were loaded.
 *
 * Tracker classinit: classes of Java that are initialised
 *   waits for "a class to be initialised": call, cpu
 *   groups by curthread
 *   class: its name
 *
 * Tracker classwait: threads of Java that wait until another one has initialised a class
 *   waits for "class {class} to be initialised": locked, lock
 *   groups by curthread
 *   class: its name
 *   doer_tid, doer_comm: the thread that initialises it
 *   ustack: where the thread waited
 *
 * Example:
 *   # classinit.d -c "java App"
 *   slow classinit        52.4 ms  java 15141/15142 on CPU 1
 *     key            139917754711670
 *     class          App$Config
 *   ...
 */
#pragma D option quiet
#pragma D option noself
#pragma D option zdefs

tracker classinit (uintptr_t) { threshold = 10ms; limit = 100; size = 4096; gc = 10m; }
tracker classwait () { threshold = 1ms; limit = 100; }

pid_t doer[uintptr_t];
string doer_name[uintptr_t];

/* Source: InstanceKlass::initialize_impl() of OpenJDK; arg0 is the name, which no two classes of a loader share. */
hotspot$target:::class-initialization-required
/!pending(classinit, arg0)/
{
	begin(classinit, arg0);
	doer[arg0] = tid;
	doer_name[arg0] = execname;
}

/* It fires before the lock of the class is asked for, so that the wait for that one is included. */
hotspot$target:::class-initialization-required
/doer[arg0] && doer[arg0] != tid/
{
	begin(classwait);
	self->doer = doer[arg0];
	self->doer_name = doer_name[arg0];
}

/* arg4: it has waited for the other thread. */
hotspot$target:::class-initialization-concurrent,
hotspot$target:::class-initialization-erroneous
/self->doer/
{
	self->waited = copyinstr(arg0, arg1 + 1);
	end(classwait, (uint8_t)arg4 ? 0 : 1);
	self->doer = 0;
}

hotspot$target:::class-initialization-end,
hotspot$target:::class-initialization-error,
hotspot$target:::class-initialization-erroneous,
hotspot$target:::class-initialization-super-failed
/pending(classinit, arg0)/
{
	self->class = copyinstr(arg0, arg1 + 1);
	end(classinit, arg0);
	doer[arg0] = 0;
	doer_name[arg0] = 0;
}

hotspot$target:::class-loaded
{
	@loaded[execname] = count();
}

latency:classinit::all
{
	@classinit[execname] = sum(args[0]->delay);
	@classinits[execname] = count();
}

latency:classinit::slow
/!(args[0]->how & HOW_NOT_ENDED)/
{
	slow("class", self->class);
}

latency:classwait::slow
/!(args[0]->how & HOW_NOT_ENDED) && !args[0]->id/
{
	slow("class", self->waited, "doer_tid", self->doer, "doer_comm", self->doer_name, "ustack", jstack(60));
}
