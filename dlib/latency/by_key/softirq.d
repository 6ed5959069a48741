/* SPDX-License-Identifier: Apache-2.0 */
/* by_key/softirq.d: @softirq_kind, delays of the tracker softirq by kind of softirq. With softirq.d in a recording,
 * for `dwell latency profile` and `dwell latency diff`. */
latency:softirq::all
/!(args[0]->how & HOW_NOT_ENDED)/
{
	@softirq_kind[softirq_name[this->vec]] = hist(args[0]->delay);
}

/* Not printed at the end: they are for recordings. */
END
{
	trunc(@softirq_kind);
}
