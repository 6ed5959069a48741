/* SPDX-License-Identifier: Apache-2.0 */
/* whose/syscall.d: beside syscall.d in a recording: which system call, for `dwell latency profile` and `diff`. */
latency:syscall::all
/!(args[0]->how & 3)/
{
	@syscall_name[this->name] = hist(args[0]->delay);
}

/* Who wants to see them has the recording. */
END
{
	trunc(@syscall_name);
}
