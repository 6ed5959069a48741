/* SPDX-License-Identifier: Apache-2.0 */
/* by_group/fs.d: @fs_group: delays of the tracker fs by the group of the thread
 * that waited. With fs.d, for `dwell latency --by`, and where only some threads are asked for. */
latency:fs::all
/!(args[0]->how & HOW_NOT_ENDED) && wanted_of[curthread]/
{
	@fs_group[group_name_of[curthread]] = hist(args[0]->delay);
}

/* Not printed at the end: dwell latency has a table of them. */
END
{
	trunc(@fs_group);
}
