#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tcprtt.d: round-trip times of TCP connections, by the address of the other side.
 *
 * Topic: Network
 * Usage: tcprtt.d [--port PORT] [--interval TIME]
 * The kernel's smoothed time, looked at with each segment that arrives. Microseconds.
 *
 * Example:
 *   # tcprtt.d -c "python3 transfer.py"
 *   Tracing... Ctrl-C ends.
 *   127.0.0.1 (us)
 *              value  ------------- Distribution ------------- count
 *                  8 |                                         0
 *                 16 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@   25
 *                 32 |                                         0
 *                 64 |@@                                       1
 *                128 |                                         0
 *   127.0.0.1: average 26 us, 26 segments
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param port int "only connections to or from this port, 0 all" 0
#pragma D param interval string "time between reports; else one at the end" 1d

BEGIN
{
	printf("Tracing... Ctrl-C ends.\n");
}

/* srtt_us is eight times the smoothed time. */
sdt:::tcp_probe
/!$port || $port == sock_lport[args[0]] || $port == sock_rport[args[0]]/
{
	@[sock_remote[args[0]]] = quantize(((struct tcp_sock *)args[0])->srtt_us >> 3);
	@avg[sock_remote[args[0]]] = avg(((struct tcp_sock *)args[0])->srtt_us >> 3);
	@n[sock_remote[args[0]]] = count();
}

tick-$interval
{
	printf("%Y\n", walltimestamp);
}

tick-$interval, END
{
	printa("%s (us)%@d\n", @);
	printa("%s: average %@d us, %@d segments\n", @avg, @n);
	trunc(@);
	trunc(@avg);
	trunc(@n);
}
