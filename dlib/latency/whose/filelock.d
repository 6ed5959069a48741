/* SPDX-License-Identifier: Apache-2.0 */
/* whose/filelock.d: beside filelock.d in a recording: who waits for locks of files, by name, for `dwell latency profile` and `diff`. */
latency:filelock::all
/!(args[0]->how & 3)/
{
	@filelock_process[args[0]->comm] = hist(args[0]->delay);
}

/* Who wants to see them has the recording. */
END
{
	trunc(@filelock_process);
}
