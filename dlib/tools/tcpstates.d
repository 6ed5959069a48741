#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tcpstates.d: TCP connections as they change their state.
 *
 * Topic: Network
 * Usage: tcpstates.d
 *
 * TIME_MS  milliseconds since the tool began       MS  that the connection was in the state before
 * LOCAL, REMOTE   addresses and ports              FROM, TO  the states
 *
 * Example, while another terminal runs curl -s 127.0.0.1:9:
 *   # tcpstates.d
 *    TIME_MS       MS LOCAL                   PORT REMOTE                  PORT FROM         TO
 *        703        0 127.0.0.1                  0 127.0.0.1                  9 state-closed state-syn-sent
 *        703        0 127.0.0.1                  0 127.0.0.1                  9 state-syn-sent state-closed
 */
#pragma D option quiet

uint64_t since[uint64_t];

BEGIN
{
	begin = timestamp;
	printf("%8s %8s %-22s %5s %-22s %5s %-12s %s\n", "TIME_MS", "MS", "LOCAL", "PORT", "REMOTE", "PORT",
	    "FROM", "TO");
}

tcp:::state-change
{
	printf("%8d %8d %-22s %5d %-22s %5d %-12s %s\n", (timestamp - begin) / 1000000,
	    since[arg1] ? (timestamp - since[arg1]) / 1000000 : 0, args[3]->tcps_laddr,
	    args[3]->tcps_lport, args[3]->tcps_raddr, args[3]->tcps_rport,
	    tcp_state_string[args[5]->tcps_state], tcp_state_string[args[3]->tcps_state]);
	since[arg1] = args[3]->tcps_state == TCP_STATE_CLOSED ? 0 : timestamp;
}
