/* SPDX-License-Identifier: Apache-2.0 */
/* whose/futex.d: beside futex.d in a recording: which threads wait for futexes, by name, for `dwell latency profile` and `diff`. */
latency:futex::all
/!(args[0]->how & 3)/
{
	@futex_process[args[0]->comm] = hist(args[0]->delay);
}

/* Who wants to see them has the recording. */
END
{
	trunc(@futex_process);
}
