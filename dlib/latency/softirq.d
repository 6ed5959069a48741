#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softirq.d: softirqs that run for long, at the cost of the thread that was interrupted, or in ksoftirqd.
 *
 * Tracker softirq, default 5: softirqs
 *   waits for "the soft interrupt {vec}": locked, kernel
 *   costs 30 ns a switch; left out 1
 *   groups by curthread
 *   keys by kind: softirq_name[this->vec]
 *   vec: its name, as in /proc/softirqs
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
/!(args[0]->how & HOW_NOT_ENDED)/
{
	slow("vec", softirq_name[this->vec]);
}
