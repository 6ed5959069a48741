/* SPDX-License-Identifier: Apache-2.0 */
/* whose/irq.d: beside irq.d in a recording: which handler of interrupts, for `dwell latency profile` and `diff`. */
latency:irq::all
/!(args[0]->how & 3)/
{
	@irq_handler[stringof(this->action->name)] = hist(args[0]->delay);
}

/* Who wants to see them has the recording. */
END
{
	trunc(@irq_handler);
}
