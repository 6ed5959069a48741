#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usdt.d: requests between two probes, such as static probes that a program has.
 *
 * Usage: usdt.d --begin PROBE --end PROBE [--by 0|1] [--nested NUMBER]
 * Both probes fire in the same thread, or with --by 1 have the same arg0. When a request begins within another one of
 * the same thread, or of the same number, the inner one is measured. With --nested both are: an end belongs to the
 * request that began last. dwell latency --request PROBE,PROBE[,arg0][,nested] runs it.
 *
 * Tracker usdt: requests between two probes
 *   waits for "the end of {request}": call, unknown
 *   groups by curthread
 *   request: with --by 1 its number
 *   ustack: where the second probe fired
 *
 * Example:
 *   # usdt.d --begin syscall::clock_nanosleep:entry --end syscall::clock_nanosleep:return -c "sleep 0.2"
 *   slow usdt              200 ms  sleep 7110/7110 on CPU 1
 *   ...
 */
#pragma D option quiet
#pragma D option noself
#pragma D param begin string "where requests begin"
#pragma D param end string "where they end"
#pragma D param by int "0: requests of one thread, 1: requests with one arg0" 0
#pragma D param nested int "requests within each other, at most" 1

tracker usdt (uint64_t) { threshold = 100ms; limit = 100; size = 65536; gc = 1h; nested = $nested; }

$begin
{
	begin(usdt, $by ? arg0 : tid);
}

$end
{
	end(usdt, $by ? arg0 : tid);
}

latency:usdt::slow
/!(args[0]->how & HOW_NOT_ENDED)/
{
	slow("request", $by ? strjoin("request ", lltostr(args[1])) : "its request", "ustack", jstack(100));
}
