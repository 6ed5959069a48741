/* SPDX-License-Identifier: Apache-2.0 */
/* whose/fs.d: beside fs.d in a recording: who works on files, by name, for `dwell latency profile` and `diff`. */
latency:fs::all
/!(args[0]->how & 3)/
{
	@fs_process[args[0]->comm] = hist(args[0]->delay);
}

/* Who wants to see them has the recording. */
END
{
	trunc(@fs_process);
}
