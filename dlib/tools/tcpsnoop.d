#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tcpsnoop.d: TCP segments as they are sent and received.
 *
 * Topic: Network
 * Usage: tcpsnoop.d [--port N]
 * With --port only segments from or to this port. Received ones are those of established connections.
 *
 * TIME_MS  milliseconds since the tool began       D  > sent, < received
 * LOCAL, REMOTE   addresses and ports              BYTES  of payload
 * FLAGS    S syn, F fin, R rst, P psh, A ack
 *
 * Example, while another terminal runs python3 -m http.server 8999 --directory /usr/share/doc 2>/dev/null & sleep 1; curl -s localhost:8999/ >/dev/null; kill %1:
 *   # tcpsnoop.d --port 8999
 *    TIME_MS D LOCAL                      PORT REMOTE                     PORT    BYTES FLAGS
 *       1728 > 127.0.0.1                 50476 127.0.0.1                  8999        0 S
 *       1728 > 127.0.0.1                  8999 127.0.0.1                 50476        0 SA
 *       1728 > 127.0.0.1                 50476 127.0.0.1                  8999        0 A
 *       1728 > 127.0.0.1                 50476 127.0.0.1                  8999       78 PA
 *       1728 < 127.0.0.1                  8999 127.0.0.1                 50476       78 PA
 *       1728 > 127.0.0.1                  8999 127.0.0.1                 50476        0 A
 *       1728 < 127.0.0.1                 50476 127.0.0.1                  8999        0 A
 *   ...
 */
#pragma D option quiet
#pragma D param port int "port, 0 for all" 0

inline string flags[uint8_t F] = strjoin(strjoin(strjoin(F & TH_SYN ? "S" : "", F & TH_FIN ? "F" : ""),
    strjoin(F & TH_RST ? "R" : "", F & TH_PSH ? "P" : "")), F & TH_ACK ? "A" : "");

BEGIN
{
	begin = timestamp;
	printf("%8s %1s %-24s %6s %-24s %6s %8s %s\n", "TIME_MS", "D", "LOCAL", "PORT", "REMOTE", "PORT",
	    "BYTES", "FLAGS");
}

tcp:::send
/!$port || args[4]->tcp_sport == $port || args[4]->tcp_dport == $port/
{
	printf("%8d > %-24s %6d %-24s %6d %8d %s\n", (timestamp - begin) / 1000000, args[2]->ip_saddr,
	    args[4]->tcp_sport, args[2]->ip_daddr, args[4]->tcp_dport,
	    args[2]->ip_plength - args[4]->tcp_offset, flags[args[4]->tcp_flags]);
}

tcp:::receive
/!$port || args[4]->tcp_sport == $port || args[4]->tcp_dport == $port/
{
	printf("%8d < %-24s %6d %-24s %6d %8d %s\n", (timestamp - begin) / 1000000, args[2]->ip_daddr,
	    args[4]->tcp_dport, args[2]->ip_saddr, args[4]->tcp_sport,
	    args[2]->ip_plength - args[4]->tcp_offset, flags[args[4]->tcp_flags]);
}
