/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up the delays of the tracker jit by the group of the thread that waited, as @jit_group.
 * `dwell latency` runs it with jit.d for --by and for filters. */
latency:jit::all
/!(args[0]->how & HOW_NOT_ENDED) && wanted_of[curthread]/
{
	@jit_group[group_name_of[curthread]] = hist(args[0]->delay);
}

/* Not printed at the end: dwell latency has a table of them. */
END
{
	trunc(@jit_group);
}
