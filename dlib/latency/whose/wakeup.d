/* SPDX-License-Identifier: Apache-2.0 */
/* whose/wakeup.d: beside wakeup.d in a recording: which threads wait for a CPU, by name, for `dwell latency profile` and `diff`. */
latency:wakeup::all
/!(args[0]->how & 3)/
{
	@wakeup_process[args[0]->comm] = hist(args[0]->delay);
}

/* Who wants to see them has the recording. */
END
{
	trunc(@wakeup_process);
}
