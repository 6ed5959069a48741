#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tcpconnlat.d: how long the making of TCP connections takes.
 *
 * Topic: Network
 * Usage: tcpconnlat.d
 * From connect(2) until the other side has answered.
 *
 * PID, COMMAND  the process that asked for it       REMOTE, PORT  with whom
 * US   microseconds                                RESULT  established, refused, failed (no answer, given up)
 *
 * Example, while another terminal runs python3 -m http.server 8999 2>/dev/null & sleep 1; curl -s localhost:8999/ >/dev/null; curl -s 127.0.0.1:9; kill %1:
 *   # tcpconnlat.d
 *       PID COMMAND          REMOTE                     PORT        US RESULT
 *     12392 curl             127.0.0.1                  8999       131 established
 *     12398 curl             127.0.0.1                     9        50 refused
 */
#pragma D option quiet

BEGIN
{
	printf("%7s %-16s %-24s %6s %9s %s\n", "PID", "COMMAND", "REMOTE", "PORT", "US", "RESULT");
}

tcp:::state-change
/wanted && args[3]->tcps_state == TCP_STATE_SYN_SENT/
{
	start[arg1] = timestamp;
	who[arg1] = pid;
	name[arg1] = execname;
}

tcp:::connect-established, tcp:::connect-refused
/start[arg1]/
{
	printf("%7d %-16s %-24s %6d %9d %s\n", who[arg1], name[arg1], args[3]->tcps_raddr,
	    args[3]->tcps_rport, (timestamp - start[arg1]) / 1000,
	    probename == "connect-refused" ? "refused" : "established");
	start[arg1] = 0;
	who[arg1] = 0;
	name[arg1] = 0;
}

/* The peer did not answer, or the program gave up. */
tcp:::state-change
/args[3]->tcps_state == TCP_STATE_CLOSED && start[arg1]/
{
	printf("%7d %-16s %-24s %6d %9d %s\n", who[arg1], name[arg1], args[3]->tcps_raddr,
	    args[3]->tcps_rport, (timestamp - start[arg1]) / 1000, "failed");
	start[arg1] = 0;
	who[arg1] = 0;
	name[arg1] = 0;
}
