/* SPDX-License-Identifier: Apache-2.0 */
/* whose/mmaplock.d: beside mmaplock.d in a recording: who waits for address spaces, by name, for `dwell latency profile` and `diff`. */
latency:mmaplock::all
/!(args[0]->how & 3)/
{
	@mmaplock_process[args[0]->comm] = hist(args[0]->delay);
}

/* Who wants to see them has the recording. */
END
{
	trunc(@mmaplock_process);
}
