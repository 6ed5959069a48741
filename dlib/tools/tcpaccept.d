#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tcpaccept.d: TCP connections that this machine accepts, by port.
 *
 * Topic: Network
 * Usage: tcpaccept.d
 *
 * TIME   when                 LOCAL, PORT   where they came to
 * REMOTE, PORT   from whom
 *
 * Example, while another terminal runs python3 -m http.server 8999 2>/dev/null & sleep 1; curl -s localhost:8999/ >/dev/null; kill %1:
 *   # tcpaccept.d
 *   TIME                 LOCAL                      PORT REMOTE                     PORT
 *   2026 Nov 21 17:22:36 127.0.0.1                  8999 127.0.0.1                 38392
 */
#pragma D option quiet

BEGIN
{
	printf("%-20s %-24s %6s %-24s %6s\n", "TIME", "LOCAL", "PORT", "REMOTE", "PORT");
}

tcp:::accept-established
{
	printf("%-20Y %-24s %6d %-24s %6d\n", walltimestamp, args[3]->tcps_laddr, args[3]->tcps_lport,
	    args[3]->tcps_raddr, args[3]->tcps_rport);
}
