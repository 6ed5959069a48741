/* SPDX-License-Identifier: Apache-2.0 */
/* whose/fault.d: beside fault.d in a recording: whose page faults, by name, for `dwell latency profile` and `diff`. */
latency:fault::all
/!(args[0]->how & 3)/
{
	@fault_process[args[0]->comm] = hist(args[0]->delay);
}

/* Who wants to see them has the recording. */
END
{
	trunc(@fault_process);
}
