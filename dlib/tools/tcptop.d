#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tcptop.d: connections that send and receive most by TCP.
 *
 * Topic: Network
 * Usage: tcptop.d [--interval TIME]
 * What programs write to and read from their sockets: headers and repeated segments are not among it. Linux 6.3 or
 * later.
 *
 * PID, COMMAND  the process           LOCAL, REMOTE  the connection's ends
 * SENT_BYTES, GOT_BYTES  data
 *
 * Example:
 *   # tcptop.d -c "python3 transfer.py"
 *   2026 Nov 26 11:37:18
 *       PID COMMAND          LOCAL                    REMOTE                     SENT_BYTES    GOT_BYTES
 *     17937 python3          127.0.0.1:34550          127.0.0.1:18778               1234567          777
 *     17937 python3          127.0.0.1:18778          127.0.0.1:34550                   777      1234567
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param interval string "time between reports" 5s

/* 6 is TCP; a negative result is an error. */
sdt:::sock_send_length
/wanted && args[0]->sk_protocol == 6 && args[1] > 0/
{
	@sent[group_id, group_name, inet_endpoint[sock_local[args[0]], sock_lport[args[0]]],
	    inet_endpoint[sock_remote[args[0]], sock_rport[args[0]]]] = sum(args[1]);
}

/* MSG_PEEK (2) leaves the data where it is. */
sdt:::sock_recv_length
/wanted && args[0]->sk_protocol == 6 && args[1] > 0 && !(args[2] & 2)/
{
	@got[group_id, group_name, inet_endpoint[sock_local[args[0]], sock_lport[args[0]]],
	    inet_endpoint[sock_remote[args[0]], sock_rport[args[0]]]] = sum(args[1]);
}

tick-$interval, END
{
	printf("%Y\n%7s %-16s %-24s %-24s %12s %12s\n", walltimestamp, group_id_head, group_head, "LOCAL", "REMOTE",
	    "SENT_BYTES", "GOT_BYTES");
	printa("%7d %-16s %-24s %-24s %@12d %@12d\n", @sent, @got);
	trunc(@sent);
	trunc(@got);
}
