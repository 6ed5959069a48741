#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tcplife.d: TCP connections as they end: how long they lived, and how much they carried.
 *
 * Topic: Network
 * Usage: tcplife.d [--port PORT]
 * Connections that were there before are left out.
 *
 * PID, COMMAND  the process that connected, or that closed a connection that it had accepted; 0 and -: the other side
 *               reset it
 * SENT_BYTES    data that the other side acknowledged     GOT_BYTES  data that came from it
 * MS            milliseconds from its beginning (SYN) to its end
 *
 * Example:
 *   # tcplife.d -c "python3 transfer.py"
 *       PID COMMAND          LOCAL                    REMOTE                   SENT_BYTES  GOT_BYTES       MS
 *     17892 python3          127.0.0.1:34542          127.0.0.1:18778             1234567        777        8
 *     17892 python3          127.0.0.1:18778          127.0.0.1:34542                 777    1234567        8
 */
#pragma D option quiet
#pragma D param port int "only connections to or from this port, 0 all" 0

BEGIN
{
	printf("%7s %-16s %-24s %-24s %10s %10s %8s\n", "PID", "COMMAND", "LOCAL", "REMOTE", "SENT_BYTES", "GOT_BYTES",
	    "MS");
}

/* States are the kernel's: 1 ESTABLISHED, 2 SYN_SENT, 3 SYN_RECV, 4 FIN_WAIT1, 7 CLOSE, 9 LAST_ACK. */
sdt:::inet_sock_set_state
/args[0]->sk_protocol == 6 && args[1] != 10 && (args[2] == 2 || args[2] == 3)/
{
	born[arg0] = timestamp;
	active[arg0] = args[2] == 2;
	who[arg0] = args[2] == 2 ? pid : 0;
	name[arg0] = args[2] == 2 ? execname : "-";
}

sdt:::inet_sock_set_state
/args[0]->sk_protocol == 6 && args[2] == 1 && !born[arg0]/
{
	born[arg0] = timestamp;
	name[arg0] = "-";
}

sdt:::inet_sock_set_state
/born[arg0] && !who[arg0] && (args[2] == 4 || args[2] == 9)/
{
	who[arg0] = pid;
	name[arg0] = execname;
}

sdt:::inet_sock_set_state
/born[arg0] && args[2] == 7/
{
	this->sk = (struct sock *)args[0];
	this->tcp = (struct tcp_sock *)args[0];
	this->lport = sock_lport[this->sk];
	this->rport = sock_rport[this->sk];
	/* The kernel counts SYN and FIN as bytes. A FIN that came sets SOCK_DONE (1). */
	this->fin = (args[1] == 5 || args[1] == 6 || args[1] == 9 || args[1] == 11) &&
	    this->tcp->snd_una == this->tcp->write_seq;
	this->got = this->tcp->bytes_received - (this->sk->__sk_common.skc_flags >> 1 & 1);
	this->sent = this->tcp->bytes_acked - (active[arg0] && this->tcp->bytes_acked != 0) - this->fin;
}

sdt:::inet_sock_set_state
/born[arg0] && args[2] == 7 && (!$port || $port == this->lport || $port == this->rport)/
{
	printf("%7d %-16s %-24s %-24s %10d %10d %8d\n", who[arg0], name[arg0],
	    inet_endpoint[sock_local[this->sk], this->lport],
	    inet_endpoint[sock_remote[this->sk], this->rport],
	    this->sent, this->got, (timestamp - born[arg0]) / 1000000);
}

sdt:::inet_sock_set_state
/born[arg0] && args[2] == 7/
{
	born[arg0] = 0;
	who[arg0] = 0;
	name[arg0] = 0;
	active[arg0] = 0;
}
