#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tcpdrop.d: TCP packets that the kernel throws away, and where.
 *
 * Topic: Network
 * Usage: tcpdrop.d
 * IPv4. A socket that is closed drops what its program has not read, a final FIN above all. Linux 5.17 or later.
 *
 * PID, COMMAND  the process on the CPU: a packet that arrives is handled under any program
 * SOURCE, DEST  addresses and ports         FLAGS  TCP's flags, hexadecimal: 2 SYN, 10 ACK, 4 RST, 1 FIN
 * REASON        number in the kernel's enum skb_drop_reason        WHERE  function that dropped it
 *
 * Example:
 *   # tcpdrop.d -c "curl -s http://127.0.0.1:9/"
 *       PID COMMAND          SOURCE                   DEST                     FLAGS REASON WHERE
 *     18046 curl             127.0.0.1:42398          127.0.0.1:9                  2      3 vmlinux`tcp_v4_rcv+0x99
 */
#pragma D option quiet

BEGIN
{
	printf("%7s %-16s %-24s %-24s %5s %6s %s\n", "PID", "COMMAND", "SOURCE", "DEST", "FLAGS", "REASON",
	    "WHERE");
}

/* ETH_P_IP, in the network's byte order. Protocol 6 is TCP. */
sdt:::kfree_skb
/args[0]->protocol == htons(0x0800) && skb_ip[args[0]] != NULL && skb_transport[args[0]] != NULL &&
    ((struct iphdr *)skb_ip[args[0]])->protocol == 6/
{
	this->ip = (struct iphdr *)skb_ip[args[0]];
	this->tcp = (struct tcphdr *)skb_transport[args[0]];
	printf("%7d %-16s %-24s %-24s %5x %6d %a\n", pid, execname,
	    inet_endpoint[inet_ntoa(&this->ip->saddr), ntohs(this->tcp->source)],
	    inet_endpoint[inet_ntoa(&this->ip->daddr), ntohs(this->tcp->dest)],
	    *((uint8_t *)this->tcp + 13), (int)args[2], (uintptr_t)args[1]);
}
