#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * syscall.d: system calls that take long. Every system call of every program costs a little more.
 *
 * Tracker syscall: system calls
 *   waits for "the system call": call, unknown
 *   groups by curthread
 *   keys by name: this->name
 *   syscall: its name
 *   arg0, arg1, arg2: its arguments
 *   ret: what it returned
 *   file: the path of arg0, where that is an open file of the program
 *   ustack: the caller
 */
#pragma D option quiet
#pragma D option noself

/* Calls that take long and whose first argument is a number, but no open file (of execve, there is none any more). */
inline int no_file[string CALL] = CALL == "clock_nanosleep" || CALL == "wait4" || CALL == "waitid" ||
    CALL == "select" || CALL == "pselect6" || CALL == "semop" || CALL == "semtimedop" || CALL == "msgsnd" ||
    CALL == "msgrcv" || CALL == "bpf" || CALL == "ptrace" || CALL == "prctl" || CALL == "kill" || CALL == "tgkill" ||
    CALL == "exit" || CALL == "execve" || CALL == "execveat" || CALL == "exit_group" || CALL == "membarrier" ||
    CALL == "setns" || CALL == "clone" || CALL == "unshare" || CALL == "delete_module" || CALL == "init_module";

tracker syscall () { threshold = 100ms; limit = 100; }

syscall:::entry
{
	begin(syscall);
}

/* exit() and exit_group() do not return. A different call that is still open when its thread ends is one that returned
 * unnoticed. */
syscall::exit:entry,
syscall::exit_group:entry
{
	this->name = probefunc;
	this->ret = 0;
	end(syscall, this->ret);
}

syscall:::return
{
	this->name = probefunc;
	this->ret = arg0;
	end(syscall, this->ret);
}

latency:syscall::slow
/!(args[0]->how & HOW_NOT_ENDED)/
{
	this->file = no_file[this->name] ? "" : fds[(int)uregs[R_CALL0]].fi_pathname;
	slow("syscall", this->name, "arg0", uregs[R_CALL0], "arg1", uregs[R_CALL1], "arg2", uregs[R_CALL2],
	    "ret", this->ret, "file", this->file, "ustack", jstack(100));
}
