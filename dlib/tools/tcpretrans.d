#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tcpretrans.d: TCP segments that are sent again, as the answer did not come.
 *
 * Topic: Network
 * Usage: tcpretrans.d
 * Nobody asks for them: a timer or an acknowledgement that arrives makes the kernel send.
 *
 * TIME  when           LOCAL, REMOTE  the connection's ends
 * STATE state of the connection; state-syn-sent: the other side does not answer at all
 * BYTES of data        TRIES  times that this timer has fired in a row without an answer; 0: sent early, after
 *                      acknowledgements that left it out
 *
 * Example:
 *   # tcpretrans.d -c "python3 backlog.py"
 *   TIME                 LOCAL                    REMOTE                   STATE               BYTES TRIES
 *   2026 Nov 26 11:37:22 127.0.0.1:54622          127.0.0.1:18777          state-syn-sent          0     1
 *   2026 Nov 26 11:37:22 127.0.0.1:54608          127.0.0.1:18777          state-syn-sent          0     1
 *   2026 Nov 26 11:37:22 127.0.0.1:54596          127.0.0.1:18777          state-syn-sent          0     1
 *   2026 Nov 26 11:37:23 127.0.0.1:54596          127.0.0.1:18777          state-syn-sent          0     2
 *   ...
 */
#pragma D option quiet

/* The kernel's numbers of the states in which TCP sends. */
inline string tcp_state_name[int S] =
	S == 1 ? "state-established" : S == 2 ? "state-syn-sent" : S == 4 ? "state-fin-wait-1" :
	S == 8 ? "state-close-wait" : S == 9 ? "state-last-ack" : S == 11 ? "state-closing" : lltostr(S);

BEGIN
{
	printf("%-20s %-24s %-24s %-18s %6s %5s\n", "TIME", "LOCAL", "REMOTE", "STATE", "BYTES", "TRIES");
}

sdt:::tcp_retransmit_skb
{
	this->sk = (struct sock *)args[0];
	printf("%-20Y %-24s %-24s %-18s %6d %5d\n", walltimestamp,
	    inet_endpoint[sock_local[this->sk], sock_lport[this->sk]],
	    inet_endpoint[sock_remote[this->sk], sock_rport[this->sk]],
	    tcp_state_name[this->sk->__sk_common.skc_state],
	    args[1]->len, ((struct inet_connection_sock *)this->sk)->icsk_retransmits);
}
