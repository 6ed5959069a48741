/* SPDX-License-Identifier: Apache-2.0 */
/* by_key/syscall.d: @syscall_name, delays of the tracker syscall by system call. With syscall.d in a recording,
 * for `dwell latency profile` and `dwell latency diff`. */
latency:syscall::all
/!(args[0]->how & HOW_NOT_ENDED)/
{
	@syscall_name[this->name] = hist(args[0]->delay);
}

/* Not printed at the end: they are for recordings. */
END
{
	trunc(@syscall_name);
}
