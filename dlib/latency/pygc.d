#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pygc.d: collections of reference cycles by CPython: what a thread, and all others of the interpreter, are stopped for.
 *
 * Usage: pygc.d -p PID|-c COMMAND
 * Of interpreters with static probes, as Debian's: others have no events.
 *
 * At the end: how many and how long, by program and generation.
 *
 * Tracker pygc: collections of reference cycles by CPython
 *   waits for "the collector ({generation})": call, memory
 *   generation = generation 0 | generation 1 | generation 2: the oldest one of those that were looked at
 *   freed: how many objects went
 *   ustack: the function that allocated
 *
 * Example:
 *   # pygc.d -c "/usr/bin/python3.11 app.py"
 *   slow pygc             20.1 ms  python3.11 23038/23038 on CPU 1
 *     generation     generation 2
 *     freed          1024
 *   ...
 */
#pragma D option quiet
#pragma D option noself
#pragma D option zdefs

tracker pygc () { threshold = 1ms; limit = 100; }

python$target:::gc-start
{
	begin(pygc);
	self->generation = (int)arg0 == 0 ? "generation 0" : (int)arg0 == 1 ? "generation 1" : "generation 2";
}

python$target:::gc-done
{
	end(pygc, arg0);
}

latency:pygc::all
{
	@pygc[execname, self->generation] = sum(args[0]->delay);
	@pygcs[execname, self->generation] = count();
}

latency:pygc::slow
/!(args[0]->how & HOW_NOT_ENDED)/
{
	slow("generation", self->generation, "freed", args[0]->id, "ustack", jstack(100));
}
