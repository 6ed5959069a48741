/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up the delays of the tracker pygc by the group of the thread that waited, as @pygc_group. `dwell latency`
 * runs it with pygc.d for --by and for filters. */
latency:pygc::all
/!(args[0]->how & HOW_NOT_ENDED) && wanted_of[curthread]/
{
	@pygc_group[group_name_of[curthread]] = hist(args[0]->delay);
}

/* Not printed at the end: dwell latency has a table of them. */
END
{
	trunc(@pygc_group);
}
