#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request.d: requests that programs mark themselves, from beginning to end, in whatever thread or process that is.
 *
 * Usage: request.d
 * A program writes dwell+ID to /dev/null where a request begins, and dwell-ID where it ends. Any language can do that,
 * also a shell: echo dwell+42 >/dev/null. ID is text of up to 31 bytes. A mark costs the program a system call,
 * whether dwell runs or not; while this runs, every write() of every program costs a little more. Programs with static
 * probes need no marks: see usdt.d.
 *
 * Tracker request: requests that programs mark
 *   waits for "the end of request {request}": call, unknown
 *   groups by curthread
 *   request: its ID
 *   ustack: where its end was marked
 */
#pragma D option quiet
#pragma D option noself
#pragma D option strsize=40

tracker request (string) { threshold = 100ms; limit = 100; gc = 1h; }

inline dev_t NULL_DEVICE = 0x100003; /* 1:3 */
inline int is_null_device[struct inode *I] = I != NULL && I->i_rdev == NULL_DEVICE;
inline int MARK = 6; /* "dwell+" */

/* A line's end, which echo writes, belongs to nothing. (No strtok(): it needs Linux 5.17.) */
syscall::write:entry
/arg2 > MARK && arg2 < 40 && is_null_device[fd_inode[(int)arg0]]/
{
	this->text = copyinstr(arg1, arg2 + 1);
	this->mark = substr(this->text, 0, MARK);
	this->id = substr(this->text, MARK, (int)arg2 - MARK - (*(char *)copyin(arg1 + arg2 - 1, 1) == '\n' ? 1 : 0));
	if (this->mark == "dwell+")
		begin(request, this->id);
	else if (this->mark == "dwell-")
		end(request, this->id);
}

latency:request::slow
/!(args[0]->how & HOW_NOT_ENDED)/
{
	slow("request", args[1], "ustack", jstack(100));
}
