#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls.d: system calls that take long, for `dwell record`. Their stacks are those of the waits in them.
 *
 * Usage: calls.d [-p PID|-c COMMAND] [--call US] --record FILE
 * With -p or -c those of this process and its descendants, else all.
 *
 * Tracker syscall: as in latency/syscall.d, without ustack
 *
 * Example:
 *   # dwell --record run.dwell -s calls.d -c "ls -lR /etc"
 *   # dwell latency run.dwell
 */
#pragma D option quiet
#pragma D option noself
#pragma D param call int "microseconds from which on a system call counts" 100

tracker syscall () { threshold = $call * 1000; limit = 0; }

syscall:::entry
/wanted/
{
	begin(syscall);
}

/* exit() and exit_group() do not return. */
syscall::exit:entry,
syscall::exit_group:entry
{
	this->call = probefunc;
	this->result = 0;
	end(syscall, this->result);
}

syscall:::return
{
	this->call = probefunc;
	this->result = arg0;
	end(syscall, this->result);
}

latency:syscall::slow
/!(args[0]->how & HOW_NOT_ENDED)/
{
	slow("syscall", this->call, "arg0", uregs[R_CALL0], "arg1", uregs[R_CALL1], "arg2", uregs[R_CALL2],
	    "ret", this->result);
}
