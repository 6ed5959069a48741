/* SPDX-License-Identifier: Apache-2.0 */
/* whose/lock.d: beside lock.d in a recording: which threads wait for locks of the kernel, by name, for `dwell latency profile` and `diff`. */
latency:lock::all
/!(args[0]->how & 3)/
{
	@lock_process[args[0]->comm] = hist(args[0]->delay);
}

/* Who wants to see them has the recording. */
END
{
	trunc(@lock_process);
}
