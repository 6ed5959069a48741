#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softirq.d: softirqs that run for long, at the cost of the thread that was interrupted (or in ksoftirqd).
 *
 * Attributes of slow events: vec: which, as in /proc/softirqs. The thread is the one in whose time it ran.
 */
#pragma D option quiet
#pragma D option noself

tracker softirq () { threshold = 5ms; limit = 100; }

sdt:irq::softirq_entry
{
	begin(softirq);
}

sdt:irq::softirq_exit
{
	this->vec = args[0];
	end(softirq);
}

latency:softirq::slow
/!(args[0]->how & 3)/
{
	slow("vec", this->vec == 0 ? "hi" : this->vec == 1 ? "timer" : this->vec == 2 ? "net_tx" : this->vec == 3 ? "net_rx" :
	    this->vec == 4 ? "block" : this->vec == 5 ? "irq_poll" : this->vec == 6 ? "tasklet" : this->vec == 7 ? "sched" :
	    this->vec == 8 ? "hrtimer" : "rcu");
}
