/* SPDX-License-Identifier: Apache-2.0 */
/* whose/softirq.d: beside softirq.d in a recording: which soft interrupt, for `dwell latency profile` and `diff`. */
latency:softirq::all
/!(args[0]->how & 3)/
{
	@softirq_kind[softirq_name[this->vec]] = hist(args[0]->delay);
}

/* Who wants to see them has the recording. */
END
{
	trunc(@softirq_kind);
}
