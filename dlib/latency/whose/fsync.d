/* SPDX-License-Identifier: Apache-2.0 */
/* whose/fsync.d: beside fsync.d in a recording: who synchronises files, by name, for `dwell latency profile` and `diff`. */
latency:fsync::all
/!(args[0]->how & 3)/
{
	@fsync_process[args[0]->comm] = hist(args[0]->delay);
}

/* Who wants to see them has the recording. */
END
{
	trunc(@fsync_process);
}
