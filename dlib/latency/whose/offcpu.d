/* SPDX-License-Identifier: Apache-2.0 */
/* whose/offcpu.d: beside offcpu.d in a recording: which threads sleep, by name, for `dwell latency profile` and `diff`. */
latency:offcpu::all
/!(args[0]->how & 3)/
{
	@offcpu_process[args[0]->comm] = hist(args[0]->delay);
}

/* Who wants to see them has the recording. */
END
{
	trunc(@offcpu_process);
}
