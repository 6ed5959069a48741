/* SPDX-License-Identifier: Apache-2.0 */
/* by_key/irq.d: @irq_handler, delays of the tracker irq by interrupt handler. With irq.d in a recording,
 * for `dwell latency profile` and `dwell latency diff`. */
latency:irq::all
/!(args[0]->how & HOW_NOT_ENDED)/
{
	@irq_handler[stringof(this->action->name)] = hist(args[0]->delay);
}

/* Not printed at the end: they are for recordings. */
END
{
	trunc(@irq_handler);
}
