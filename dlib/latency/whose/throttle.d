/* SPDX-License-Identifier: Apache-2.0 */
/* whose/throttle.d: beside throttle.d in a recording: whose CPU limit, by name, for `dwell latency profile` and `diff`. */
latency:throttle::all
/!(args[0]->how & 3)/
{
	@throttle_process[args[0]->comm] = hist(args[0]->delay);
}

/* Who wants to see them has the recording. */
END
{
	trunc(@throttle_process);
}
