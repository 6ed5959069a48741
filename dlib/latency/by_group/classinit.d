/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up the delays of the tracker classinit by the group of the thread that waited, as @classinit_group.
 * `dwell latency` runs it with classinit.d for --by and for filters. */
latency:classinit::all
/!(args[0]->how & HOW_NOT_ENDED) && wanted_of[curthread]/
{
	@classinit_group[group_name_of[curthread]] = hist(args[0]->delay);
}

/* Not printed at the end: dwell latency has a table of them. */
END
{
	trunc(@classinit_group);
}
