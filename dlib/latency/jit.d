#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jit.d: functions of Java that a JVM compiles.
 *
 * Usage: jit.d -p PID|-c COMMAND
 * Of JVMs with static probes, as Debian's: others have no events. The events are of the threads that compile: the
 * program goes on meanwhile, in what it has of the function.
 *
 * At the end: how many and how long, by program and compiler.
 *
 * Tracker jit: functions of Java that are compiled
 *   waits for "the compiler {compiler}": call, cpu
 *   groups by curthread
 *   compiler: C1 or C2
 *   method: class and name
 *
 * Example:
 *   # jit.d -c "java App"
 *   slow jit              35.2 ms  C2 CompilerThre 15141/15160 on CPU 1
 *     compiler       C2
 *     method         java/util/ArrayList.add
 *   ...
 */
#pragma D option quiet
#pragma D option noself
#pragma D option zdefs

tracker jit () { threshold = 10ms; limit = 100; }

/* Source: CompileBroker::invoke_compiler_on_method() of OpenJDK. */
hotspot$target:::method-compile-begin
{
	begin(jit);
	self->compiler = copyinstr(arg0, arg1 + 1);
	self->method = strjoin(copyinstr(arg2, arg3 + 1), strjoin(".", copyinstr(arg4, arg5 + 1)));
}

hotspot$target:::method-compile-end
{
	end(jit);
}

latency:jit::all
{
	@jit[execname, self->compiler] = sum(args[0]->delay);
	@jits[execname, self->compiler] = count();
}

latency:jit::slow
/!(args[0]->how & HOW_NOT_ENDED)/
{
	slow("compiler", self->compiler, "method", self->method);
}
