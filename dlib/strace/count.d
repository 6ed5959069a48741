/* SPDX-License-Identifier: Apache-2.0 */
/*
 * count.d: system calls counted, with their times and errors, for `dwell strace -c`. After follow.d.
 */
#pragma D option quiet

self uint64_t strace_since;

sdt:::sys_enter
/strace_on[curthread] && !STRACE_IS32/
{
	self->strace_since = timestamp;
}

sdt:::sys_exit
/strace_on[curthread]/
{
	this->nr = (uint64_t)strace_nr[args[0]];
	if (STRACE_IS32) {
		trace(9); trace((int)tid);
	} else if (strace_at_return(this->nr) != STRACE_NONE && !(args[1] == 0 && strace_is_fork(this->nr))) {
		@strace_calls[this->nr] = sum(self->strace_since ? timestamp - self->strace_since : 0);
		if (args[1] < 0 && args[1] > -4096)
			@strace_errors[this->nr] = count();
	}
	self->strace_since = 0;
}
