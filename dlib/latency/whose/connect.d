/* SPDX-License-Identifier: Apache-2.0 */
/* whose/connect.d: beside connect.d in a recording: who connects, by name, for `dwell latency profile` and `diff`. */
latency:connect::all
/!(args[0]->how & 3)/
{
	@connect_process[args[0]->comm] = hist(args[0]->delay);
}

/* Who wants to see them has the recording. */
END
{
	trunc(@connect_process);
}
