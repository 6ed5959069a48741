#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * udpsnoop.d: UDP datagrams as they are sent and received.
 *
 * Topic: Network
 * Usage: udpsnoop.d [--port N]
 * With --port only datagrams from or to this port. They are seen where they are given to a device or
 * come from one, so on the loopback device both ways.
 *
 * TIME_MS  milliseconds since the tool began       D  > sent, < received
 * FROM, TO   addresses and ports                   BYTES  of payload
 *
 * Example, while another terminal runs bash -c "echo hello >/dev/udp/127.0.0.1/8999":
 *   # udpsnoop.d --port 8999
 *    TIME_MS D FROM                       PORT TO                         PORT    BYTES
 *        650 > 127.0.0.1                 58466 127.0.0.1                  8999        6
 *        650 < 127.0.0.1                 58466 127.0.0.1                  8999        6
 */
#pragma D option quiet
#pragma D param port int "port, 0 for all" 0

BEGIN
{
	begin = timestamp;
	printf("%8s %1s %-24s %6s %-24s %6s %8s\n", "TIME_MS", "D", "FROM", "PORT", "TO", "PORT", "BYTES");
}

udp:::send, udp:::receive
/!$port || args[4]->udp_sport == $port || args[4]->udp_dport == $port/
{
	printf("%8d %s %-24s %6d %-24s %6d %8d\n", (timestamp - begin) / 1000000,
	    probename == "send" ? ">" : "<", args[2]->ip_saddr, args[4]->udp_sport, args[2]->ip_daddr,
	    args[4]->udp_dport, args[4]->udp_length - 8);
}
