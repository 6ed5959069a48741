#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usdt.d: requests between two probes, such as static probes that a program brings along.
 *
 * Usage: usdt.d --begin PROBE --end PROBE [--by 0|1]
 * Both probes fire in the same thread, or with --by 1 have the same arg0. dwell latency --request PROBE,PROBE[,arg0] runs it.
 *
 * Attributes of slow events: request: arg0 of the first probe; ustack: where the second one fired.
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

tracker usdt (uint64_t) { threshold = 100ms; limit = 100; size = 65536; gc = 1h; }

uint64_t first[uint64_t];

$begin
{
	begin(usdt, $by ? arg0 : tid);
	first[$by ? arg0 : tid] = arg0;
}

$end
{
	end(usdt, $by ? arg0 : tid);
	first[$by ? arg0 : tid] = 0;
}

latency:usdt::slow
/!(args[0]->how & 3)/
{
	slow("request", first[args[1]], "ustack", ustack());
}
