/* SPDX-License-Identifier: Apache-2.0 */
/* by_key/fs.d: @fs_process, delays of the tracker fs by process name. With fs.d in a recording,
 * for `dwell latency profile` and `dwell latency diff`. */
latency:fs::all
/!(args[0]->how & HOW_NOT_ENDED)/
{
	@fs_process[args[0]->comm] = hist(args[0]->delay);
}

/* Not printed at the end: they are for recordings. */
END
{
	trunc(@fs_process);
}
